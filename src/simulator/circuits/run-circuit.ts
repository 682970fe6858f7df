import type { LeavableSink, Op, OpenSink, Position } from '../../qasm/index.ts'
import type { ExactRequest, Method, Refusal, ResourceLimits, Workload } from '../define-method.ts'
import { SimulationError, UnsuitableMethodError } from '../errors.ts'
import type { ExactValues } from '../exact/exact-sums.ts'
import { observedQubits } from '../exact/observables.ts'
import type { Engine } from '../kernel/engine.ts'
import type { Precision } from '../kernel/layout.ts'
import { METHODS } from '../methods/index.ts'
import { type NoiseModel, withNoise } from '../noise/noise-model.ts'
import type { Rng } from '../numeric/random.ts'
import { shotNumbers } from '../numeric/shot-numbers.ts'
import { EXACT_READOUT, type Readout, type ShotMemory } from '../readout/readout.ts'
import { QubitPlaces } from '../reduction/qubit-places.ts'
import { qubitsOf, type ReducedCircuit, reduceCircuit } from '../reduction/reduce-circuit.ts'
import { walkOnTrial } from '../reduction/trial-walk.ts'
import type { ResultBudget } from '../tally/result-budget.ts'
import { Tally } from '../tally/tally.ts'
import type { TimeBudget } from '../timing/time-budget.ts'
import { chooseMethod } from './choose-method.ts'

/** A program with bound parameters. */
export interface BoundProgram {
  qubits: number
  clbits: number
  /** Its steps; absent for a program with feedback. */
  ops?: readonly Op[]
  /** What its outcomes depend on, if that is known. */
  reduced?: ReducedCircuit
  /** Executes it once with a sink and returns its classical bits. */
  walk(sink: LeavableSink, from?: Position): Uint8Array
  /** Executes it once with outcomes that may be open, see `runOpen`. */
  walkOpen(sink: OpenSink): Int32Array | undefined
}

export interface CircuitRun {
  /** Index of the circuit in the job, for messages. */
  circuitIndex: number
  shots: number
  /** What is recorded of each shot. */
  memory: ShotMemory
  /** Noise of the device; absent for an exact simulation. */
  noise: NoiseModel | undefined
  rng: Rng
  /** Index of this execution in its job: the sub-stream of its random numbers. */
  stream: number
  timeBudget: TimeBudget
  resultBudget: ResultBudget
  /** Time of each part of the job before this circuit, in s. */
  earlierSeconds: TimeBudget['seconds']
  engine: Engine
  /** Name of the requested method, or `automatic`. */
  method: string
  precision: Precision
  limits: ResourceLimits
}

/** The outcomes of one circuit. */
export interface CircuitOutcome {
  /** Exact values, of a circuit that asks for them. */
  exact?: ExactValues
  /** Absent when the memory holds readout signals, and when they are too large beside packed bits. */
  counts?: Record<string, number>
  memory?: unknown
  /**
   * Classical bits that no measurement writes; empty for a program with feedback, where outcomes decide that.
   */
  unmeasured: number[]
  /** How the outcomes were computed: method, time by phase and the metadata of the method. */
  provenance: Record<string, unknown>
}

/** A circuit reduced to what its outcomes depend on, with the chosen method. */
export interface PreparedCircuit {
  workload: Workload
  method: Method
  /** Classical bits that a measurement writes, ascending, and the others. */
  bits: ReturnType<typeof measuredBits>
}

/** @throws SimulationError for a circuit that no method can run. */
export function prepareCircuit(
  program: BoundProgram,
  run: CircuitRun,
  exact?: ExactRequest,
): PreparedCircuit {
  const { qubits, clbits, ops } = program
  const walk = (sink: LeavableSink, from?: Position) => program.walk(sink, from)
  const reduced =
    program.reduced ??
    (ops &&
      reduceCircuit(withNoise(ops, run.noise, run.timeBudget), qubits, clbits, {
        work: run.timeBudget,
        observed: observedQubits(exact?.observables ?? []),
      }))
  const usedQubits = reduced?.qubits ?? qubitsOfTrial(walk)
  assertNoiseCovers(usedQubits.at(-1) ?? -1, run)
  const workload: Workload = {
    clbits,
    shots: run.shots,
    noise: run.noise,
    reduced,
    usedQubits,
    exact,
    precision: run.precision,
    walk,
    walkOpen: (sink) => program.walkOpen(sink),
    createPlaces: () => new QubitPlaces(usedQubits, (qubit) => assertNoiseCovers(qubit, run)),
  }
  return { workload, method: methodFor(workload, run), bits: measuredBits(clbits, ops) }
}

/**
 * Qubits that a program with feedback changes in a trial walk, ascending; other outcomes may lead to others.
 */
function qubitsOfTrial(walk: Workload['walk']): number[] {
  const used = new Set<number>()
  walkOnTrial(walk, 0, (op) => {
    if (op.kind === 'unitary' || op.kind === 'phase') for (const qubit of qubitsOf(op)) used.add(qubit)
    return false
  })
  return [...used].sort((a, b) => a - b)
}

/**
 * Runs a circuit. If outcomes lead to a step that an automatically chosen method cannot run, all shots start
 * again with another method: to keep those without the step would change the distribution.
 * @throws SimulationError for a circuit that cannot end in time.
 */
export async function runCircuit(prepared: PreparedCircuit, run: CircuitRun): Promise<CircuitOutcome> {
  const unsuitable = new Map<Method, Refusal>()
  for (let { method } = prepared; ; method = methodFor(prepared.workload, run, unsuitable)) {
    const { taken } = run.resultBudget
    try {
      return await runWith(method, prepared, run)
    } catch (error) {
      if (!(error instanceof UnsuitableMethodError)) throw error
      unsuitable.set(method, error.refusal)
      run.resultBudget.giveBack(taken)
    }
  }
}

async function runWith(
  method: Method,
  { workload, bits: { measured, unmeasured } }: PreparedCircuit,
  run: CircuitRun,
): Promise<CircuitOutcome> {
  const { timeBudget } = run
  timeBudget.assertFits(method.estimateSeconds(workload, run.limits))
  const readoutErrorOf = (qubit: number) => run.noise?.readoutErrorOf(qubit) ?? EXACT_READOUT
  const noise = run.noise && { noise: run.noise.source }
  const precision = run.precision === 'single' && { precision: run.precision }
  if (workload.exact && method.exact) {
    const { values, isExact, metadata } = await method.exact.run(workload, { ...run, readoutErrorOf })
    const phases = timeBudget.secondsSince(run.earlierSeconds)
    const provenance = { method: method.name, exact: isExact, threads: 1, ...noise, phases, ...metadata }
    return { exact: values, unmeasured, provenance }
  }
  const readout: Readout = { readoutErrorOf, memory: run.memory }
  const tally = new Tally({
    ...run,
    readout,
    clbits: workload.clbits,
    measured,
    // The top level of the results of a job repeats the counts of the first circuit.
    countsCopies: run.stream === 0 ? 2 : 1,
    terminal: workload.reduced?.terminal ?? [],
  })
  if (measured.length === 0) {
    tally.add(new Uint8Array(workload.clbits), shotNumbers(run.shots))
    return { ...outcomeOf(tally, run), unmeasured, provenance: { method: method.name, ...precision } }
  }
  // The interpreter of a program with feedback counts its own time.
  if (!workload.reduced) timeBudget.enter('evolve')
  const added = await method.run(workload, { ...run, tally, readoutErrorOf })
  const phases = timeBudget.secondsSince(run.earlierSeconds)
  const provenance = { method: method.name, threads: 1, ...precision, ...noise, phases, ...added }
  return { ...outcomeOf(tally, run), unmeasured, provenance }
}

/** Refuses circuits on qubits that the noise model does not cover: they would be simulated without noise. */
function assertNoiseCovers(lastQubit: number, { noise, circuitIndex }: CircuitRun): void {
  if (!noise || lastQubit < noise.qubits) return
  throw new SimulationError(
    `circuit ${circuitIndex} uses qubit ${lastQubit}; the noise model ${noise.source} has ${noise.qubits} qubits`,
    { code: 'too_many_qubits', circuitIndex },
  )
}

function methodFor(
  workload: Workload,
  { method, limits, circuitIndex }: CircuitRun,
  unsuitable?: ReadonlyMap<Method, Refusal>,
): Method {
  const choice = chooseMethod(METHODS, method, workload, limits, unsuitable)
  if ('method' in choice) return choice.method
  const { code, reason } = choice.refusal
  throw new SimulationError(`circuit ${circuitIndex} cannot be simulated; ${reason}`, { code, circuitIndex })
}

/**
 * Classical bits by whether a measurement writes them, ascending; for a program with feedback all count as
 * written.
 */
function measuredBits(clbits: number, ops: readonly Op[] | undefined) {
  const isWritten = new Uint8Array(clbits).fill(ops ? 0 : 1)
  for (const op of ops ?? []) if (op.kind === 'measure' && op.clbit >= 0) isWritten[op.clbit] = 1
  const all = [...isWritten.keys()]
  return {
    measured: all.filter((clbit) => isWritten[clbit]),
    unmeasured: all.filter((clbit) => !isWritten[clbit]),
  }
}

function outcomeOf(
  tally: Tally,
  { memory: recorded, timeBudget }: CircuitRun,
): Pick<CircuitOutcome, 'counts' | 'memory'> {
  timeBudget.enter('encode')
  const hasSignals = recorded === 'points' || recorded === 'mean_point'
  const counts = hasSignals ? undefined : tally.counts()
  const memory = tally.memory()
  return { ...(counts && { counts }), ...(memory !== undefined && { memory }) }
}
