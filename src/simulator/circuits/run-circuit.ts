import type { Op, Sink } from '../../qasm/index.ts'
import type { Method, ResourceLimits, Workload } from '../define-method.ts'
import { SimulationError } from '../errors.ts'
import type { Engine } from '../kernel/engine.ts'
import { METHODS } from '../methods/index.ts'
import { type NoiseModel, withNoise } from '../noise/noise-model.ts'
import type { Rng } from '../numeric/random.ts'
import { EXACT_READOUT, type Readout, type ShotMemory } from '../readout/readout.ts'
import { reduceCircuit } from '../reduction/reduce-circuit.ts'
import type { ResultBudget } from '../tally/result-budget.ts'
import { Tally } from '../tally/tally.ts'
import type { PhaseTimer } from '../timing/phase-timer.ts'
import type { TimeBudget } from '../timing/time-budget.ts'
import { chooseMethod } from './choose-method.ts'

/** A program with bound parameters. */
export interface BoundProgram {
  qubits: number
  clbits: number
  /** Its steps; absent when outcomes steer it. */
  ops?: readonly Op[]
  /** Carries it out once against a sink and returns its classical bits. */
  walk(sink: Sink): Uint8Array
}

export interface CircuitRun {
  /** Which circuit of the job, for messages. */
  circuitIndex: number
  shots: number
  /** What is kept of each shot. */
  memory: ShotMemory
  /** What the device adds to the steps, absent for an exact simulation. */
  noise: NoiseModel | undefined
  rng: Rng
  /** Number of this execution in its job: the sub-stream of its random numbers. */
  stream: number
  timeBudget: TimeBudget
  resultBudget: ResultBudget
  /** Where the time goes; the steps so far are in it. */
  phaseTimer: PhaseTimer
  engine: Engine
  /** Name of the method that is wanted, or `automatic`. */
  method: string
  limits: ResourceLimits
}

/** What came out of one circuit. */
export interface CircuitOutcome {
  /** Absent when signals were asked for instead of bits. */
  counts?: Record<string, number>
  memory?: unknown
  /** Classical bits no measurement writes; empty when a program with feedback decides that as it runs. */
  unmeasured: number[]
  /** How the outcomes were computed: method, time of its phases and what the method adds. */
  provenance: Record<string, unknown>
}

/** A circuit reduced to what its outcomes depend on, with the method that suits it. */
export interface PreparedCircuit {
  workload: Workload
  method: Method
  /** Classical bits some measurement writes, ascending, and those none does. */
  bits: ReturnType<typeof measuredBits>
}

/** @throws SimulationError for a circuit that no method can run. */
export function prepareCircuit(program: BoundProgram, run: CircuitRun): PreparedCircuit {
  const { qubits, clbits, ops } = program
  const reduced = ops && reduceCircuit(withNoise(ops, run.noise), qubits, clbits)
  assertNoiseCovers(reduced?.qubits.at(-1) ?? qubits - 1, run)
  const walk = (sink: Sink) => program.walk(sink)
  const workload: Workload = { qubits, clbits, shots: run.shots, noise: run.noise, reduced, walk }
  return { workload, method: methodFor(workload, run), bits: measuredBits(clbits, ops) }
}

/** @throws SimulationError for a circuit that cannot end in time. */
export async function runCircuit(prepared: PreparedCircuit, run: CircuitRun): Promise<CircuitOutcome> {
  const { workload, method, bits } = prepared
  const { measured, unmeasured } = bits
  const { timeBudget, phaseTimer } = run
  timeBudget.assertFits(method.estimateSeconds(workload, run.limits))
  const readoutErrorOf = (qubit: number) => run.noise?.readoutErrorOf(qubit) ?? EXACT_READOUT
  const readout: Readout = { readoutErrorOf, memory: run.memory }
  const tally = new Tally({
    ...run,
    readout,
    clbits: workload.clbits,
    measured,
    terminal: workload.reduced?.terminal ?? [],
  })
  phaseTimer.end('plan')
  if (measured.length === 0) return { counts: {}, unmeasured, provenance: { method: method.name } }
  const added = await method.run(workload, { ...run, tally, readoutErrorOf })
  const noise = run.noise && { noise: run.noise.source }
  const provenance = { method: method.name, threads: 1, ...noise, phases: phaseTimer.seconds, ...added }
  return { ...outcomeOf(tally, run.memory), unmeasured, provenance }
}

/** A circuit on qubits the noise model does not know would be simulated better than the device is. */
function assertNoiseCovers(lastQubit: number, { noise, circuitIndex }: CircuitRun): void {
  if (!noise || lastQubit < noise.qubits) return
  throw new SimulationError(
    `circuit ${circuitIndex} uses qubit ${lastQubit}; the noise model ${noise.source} has ${noise.qubits} qubits`,
    { code: 'too_many_qubits', circuitIndex },
  )
}

function methodFor(workload: Workload, { method, limits, circuitIndex }: CircuitRun): Method {
  const choice = chooseMethod(METHODS, method, workload, limits)
  if ('method' in choice) return choice.method
  const { code, reason } = choice.refusal
  throw new SimulationError(`circuit ${circuitIndex} cannot be simulated; ${reason}`, { code, circuitIndex })
}

/** Classical bits by whether some measurement writes them, ascending: all of them are where outcomes decide that. */
function measuredBits(clbits: number, ops: readonly Op[] | undefined) {
  const isWritten = new Uint8Array(clbits).fill(ops ? 0 : 1)
  for (const op of ops ?? []) if (op.kind === 'measure' && op.clbit >= 0) isWritten[op.clbit] = 1
  const all = [...isWritten.keys()]
  return {
    measured: all.filter((clbit) => isWritten[clbit]),
    unmeasured: all.filter((clbit) => !isWritten[clbit]),
  }
}

function outcomeOf(tally: Tally, recorded: ShotMemory): Pick<CircuitOutcome, 'counts' | 'memory'> {
  const hasSignals = recorded === 'points' || recorded === 'mean_point'
  const memory = tally.memory()
  return { ...(!hasSignals && { counts: tally.counts() }), ...(memory !== undefined && { memory }) }
}
