import { systemClock } from '../../../src/base/index.ts'
import {
  lowerProgram,
  type Op,
  type OpenSink,
  parseProgram,
  runDynamic,
  runOpen,
  type Sink,
} from '../../../src/qasm/index.ts'
import {
  type BoundProgram,
  type CircuitOutcome,
  type CircuitRun,
  prepareCircuit,
  runCircuit,
} from '../../../src/simulator/circuits/run-circuit.ts'
import { createEngine } from '../../../src/simulator/kernel/engine.ts'
import type { Precision } from '../../../src/simulator/kernel/layout.ts'
import { defineNoiseModel, type NoiseModel } from '../../../src/simulator/noise/noise-model.ts'
import { createRng } from '../../../src/simulator/numeric/random.ts'
import type { Readout } from '../../../src/simulator/readout/readout.ts'
import { ResultBudget } from '../../../src/simulator/tally/result-budget.ts'
import { TimeBudget, UNLIMITED } from '../../../src/simulator/timing/time-budget.ts'

/** The engine of tests that need no other: one thread. */
export const engine = await createEngine(1)

interface RunOptions {
  shots?: number
  seed?: number
  stream?: number
  clbits?: number
  /** Probability of a readout error, for all qubits. */
  readoutError?: number
  memory?: Readout['memory']
  noise?: NoiseModel
  bond?: number
  stateQubits?: number
  method?: string
  precision?: Precision
}

/** The arguments of `runCircuit` except the program, with a minute of time. */
export function runOptions(options: RunOptions = {}) {
  const error = options.readoutError ?? 0
  return {
    circuitIndex: 0,
    shots: options.shots ?? 1_000,
    memory: options.memory ?? 'none',
    noise: options.noise ?? defineNoiseModel({ source: 'test', readoutErrorOf: () => [error, error] }),
    rng: createRng(options.seed ?? 1),
    stream: options.stream ?? 0,
    timeBudget: new TimeBudget(systemClock, {
      signal: new AbortController().signal,
      deadline: systemClock.monotonic() + 60_000,
    }),
    resultBudget: new ResultBudget(2 ** 25),
    earlierSeconds: {},
    engine,
    method: options.method ?? 'automatic',
    precision: options.precision ?? 'double',
    limits: {
      stateQubits: options.stateQubits ?? 27,
      bytes: 2 ** 30,
      stateCopyBytes: 2 ** 30,
      threads: 1,
      maxBondDimension: options.bond ?? 64,
      work: UNLIMITED,
    },
  }
}

/** Runs a program with the most suitable method. */
export async function runProgram(program: BoundProgram, run: CircuitRun): Promise<CircuitOutcome> {
  return runCircuit(prepareCircuit(program, run), run)
}

/** A walk with open outcomes for one that needs them all: it ends at the first. */
export function openWalk(walk: (sink: Sink) => Uint8Array): BoundProgram['walkOpen'] {
  const end = new Error('an outcome is open')
  return (sink) => {
    const measure = (qubit: number) => {
      const outcome = sink.measure(qubit)
      if (outcome === undefined) throw end
      return outcome
    }
    try {
      return Int32Array.from(walk({ apply: (op) => sink.apply(op), measure }))
    } catch (error) {
      if (error === end) return undefined
      throw error
    }
  }
}

function refuseWalk(): never {
  throw new TypeError('the program has no feedback')
}

/** A program of given steps without feedback. */
export function programOf(ops: readonly Op[], qubits: number, clbits = qubits): BoundProgram {
  return {
    qubits,
    clbits,
    ops,
    walk: refuseWalk,
    walkOpen: refuseWalk,
  }
}

/** Counts of a program, which may have feedback. */
export async function countsOfProgram(text: string, options: RunOptions): Promise<Record<string, number>> {
  const program = parseProgram(text)
  const { qubits, clbits, ops } = lowerProgram(program, [])
  const walk = (sink: Sink) => runDynamic(program, [], sink)
  const walkOpen = (sink: OpenSink) => runOpen(program, [], sink)
  const bound = { qubits, clbits, ...(ops && { ops }), walk, walkOpen }
  const { counts = {} } = await runProgram(bound, runOptions(options))
  return counts
}

/** Runs a list of operations on `qubits` qubits and as many classical bits. */
export function runOps(
  ops: readonly Op[],
  qubits: number,
  options: RunOptions = {},
): Promise<CircuitOutcome> {
  return runProgram(programOf(ops, qubits, options.clbits), runOptions(options))
}

/**
 * Chi-square of counts against probabilities, with its degrees of freedom; outcomes below 5 expected are
 * pooled.
 */
export function chiSquare(
  counts: Record<string, number>,
  probabilities: ReadonlyMap<string, number>,
): { value: number; freedom: number } {
  const shots = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const cells: [number, number][] = []
  let pool: [number, number] = [0, 0]
  for (const [key, probability] of probabilities) {
    const cell: [number, number] = [counts[key] ?? 0, probability * shots]
    if (cell[1] >= 5) cells.push(cell)
    else pool = [pool[0] + cell[0], pool[1] + cell[1]]
  }
  if (pool[1] >= 1) cells.push(pool)
  const value = cells.reduce((sum, [found, expected]) => sum + (found - expected) ** 2 / expected, 0)
  return { value, freedom: Math.max(1, cells.length - 1) }
}

/** The value that chi-square exceeds once in 10,000 (Wilson-Hilferty approximation). */
export function chiSquareLimit(freedom: number): number {
  const k = 2 / (9 * freedom)
  return freedom * (1 - k + 3.719 * Math.sqrt(k)) ** 3
}
