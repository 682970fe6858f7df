import { expect } from 'bun:test'
import { systemClock } from '../../../src/base/index.ts'
import {
  amplitudeDamping,
  type Channel,
  createSimulator,
  defineNoiseModel,
  METHODS,
  type NoiseModel,
  onQubit,
  pauliChannel,
  SimulationError,
} from '../../../src/simulator/index.ts'
import { chiSquareTail } from '../../oracle/statistics.ts'
import { NOISY } from './matrices.ts'
import { type NoiseSpec, type RandomProgram, textOf } from './program.ts'
import { distributionOf } from './reference.ts'

const simulator = await createSimulator({ clock: systemClock, threads: 1 })

/** Rounding errors of both sides. */
const TOLERANCE = 1e-9
/** Probabilities below this are rounding errors of the reference: such an outcome does not occur. */
const LEAST = 1e-12
/** Counts this improbable are drawn again, with other random numbers and more shots, which decide. */
const SUSPICIOUS = 1e-3
const DECIDING_SHOTS = 4_000
/** Probability that a run without a fault fails: each of its comparisons has its part of it (Bonferroni). */
const FALSE_ALARMS = 1e-6

function modelOf({ x, z, damping, pair, readout }: NoiseSpec): NoiseModel {
  const pauli = pauliChannel(
    new Map([
      ['X', x],
      ['Z', z],
    ]),
  )
  const single: Channel[] = [
    ...(x + z > 0 ? [pauli] : []),
    ...(damping > 0 ? [amplitudeDamping(damping)] : []),
  ]
  // The last letter acts on the first qubit.
  const both = pauliChannel(new Map([['ZX', pair]]))
  const hasGates = single.length > 0 || pair > 0
  return defineNoiseModel({
    source: 'random',
    readoutErrorOf: () => readout,
    ...(hasGates && {
      gateNoiseOf: (name, qubits) =>
        NOISY.has(name)
          ? [
              ...single.flatMap((channel) => qubits.flatMap((qubit) => onQubit(qubit, [channel]))),
              ...(qubits.length === 2 && pair > 0
                ? [{ kind: 'channel' as const, qubits: [...qubits], channel: both }]
                : []),
            ]
          : [],
    }),
  })
}

/** Why a method does not accept a program. */
const REFUSALS = new Set([
  'no_noise',
  'noise_not_supported',
  'unsupported',
  'not_clifford',
  'too_many_branches',
])

interface Asked {
  method: string
  shots: number
  seed?: number
  memory?: 'none' | 'bits' | 'packed_bits'
  exact?: boolean
}

/** The results of a program for each parameter set; undefined where the method does not accept it. */
async function resultsOf(program: RandomProgram, asked: Asked) {
  const { method, shots, seed = program.seed, memory = 'none', exact = false } = asked
  const parameterSets = program.inputs.map(({ real, whole }) => [real, whole])
  const limits = { executions: 9, declaredQubits: 200, stateQubits: 16, shots: 10_000, resultLength: 2 ** 25 }
  try {
    return await simulator.run(
      {
        backend: 'test',
        circuits: [{ program: textOf(program), parameterSets, shots }],
        limits,
        method,
        seed,
        memory,
        exact,
        ...(program.noise && { noise: { model: modelOf(program.noise) } }),
      },
      {
        signal: new AbortController().signal,
        deadline: systemClock.monotonic() + 60_000,
        phase: () => undefined,
      },
    )
  } catch (error) {
    if (error instanceof SimulationError && REFUSALS.has(error.code)) return undefined
    throw error
  }
}

/**
 * Probability of counts that deviate as much from a distribution or more, by the likelihood ratio, which
 * outcomes of few expected shots do not exaggerate; 0 for an outcome that does not occur.
 */
export function shareOf(
  counts: Readonly<Record<string, number>>,
  expected: ReadonlyMap<string, number>,
): number {
  const shots = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (Object.keys(counts).some((key) => (expected.get(key) ?? 0) < LEAST)) return 0
  const cells: [found: number, expected: number][] = []
  const rare: [number, number] = [0, 0]
  for (const [key, probability] of expected) {
    const cell: [number, number] = [counts[key] ?? 0, shots * probability]
    if (cell[1] >= 3) cells.push(cell)
    else for (const at of [0, 1] as const) rare[at] += cell[at]
  }
  if (rare[1] > 0) cells.push(rare)
  const value = cells.reduce(
    (sum, [found, mean]) => sum + (found > 0 ? 2 * found * Math.log(found / mean) : 0),
    0,
  )
  return chiSquareTail(value, cells.length - 1)
}

/** The outcomes of the shots in the memory of a result, as bit strings. */
function shotsIn(memory: unknown, clbits: number, shots: number): string[] {
  if (Array.isArray(memory)) return memory.map((hex) => BigInt(String(hex)).toString(2).padStart(clbits, '0'))
  const bytes = Buffer.from(String(memory), 'base64')
  const width = Math.ceil(clbits / 8)
  return Array.from({ length: shots }, (_, shot) =>
    [...bytes.subarray(shot * width, (shot + 1) * width)]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('')
      .slice(-clbits),
  )
}

function countsIn(outcomes: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** Methods in which the outcome of a shot does not depend on the other shots. */
const FIXED = new Set(['statevector', 'trajectories', 'stabilizer', 'density_matrix'])

const NAMES = ['automatic', ...METHODS.map(({ name }) => name)]

/** What a run of many programs has compared. */
export class Comparisons {
  /** Programs that each method ran. */
  readonly programs = new Map<string, number>()
  /** Exact values that were compared. */
  exact = 0
  readonly faults: string[] = []
  smallest = 1
  /** Counts that were compared. */
  #count = 0
  readonly #improbable: { share: number; fault: string }[] = []

  /**
   * Runs a program by every method that accepts it, each with its shots together and a few of them alone, and
   * by exact values.
   */
  async add(program: RandomProgram, shots: number, methods = NAMES): Promise<void> {
    const sets = Math.max(1, program.inputs.length)
    const expected = Array.from({ length: sets }, (_, set) => distributionOf(program, set))
    for (const method of methods) {
      try {
        await this.#compare(program, method, shots, expected)
        await this.#compareExact(program, method, expected)
      } catch (error) {
        this.#fault(program, method, String(error))
      }
    }
  }

  /** Fails with the programs of which a method has another distribution. */
  assertAllAgree(): void {
    const limit = FALSE_ALARMS / this.#count
    const improbable = this.#improbable.filter(({ share }) => share < limit).map(({ fault }) => fault)
    expect([...this.faults, ...improbable].join('\n\n')).toBe('')
  }

  async #compare(
    program: RandomProgram,
    method: string,
    shots: number,
    expected: readonly ReadonlyMap<string, number>[],
  ): Promise<void> {
    const memory = program.seed % 2 === 0 ? 'bits' : 'packed_bits'
    const outcomesOf = async (count: number) => {
      const results = await resultsOf(program, { method, shots: count, memory })
      return results?.map(({ counts, memory: recorded, circuit }) => ({
        counts: counts ?? {},
        outcomes: shotsIn(recorded, circuit.clbits, count),
      }))
    }
    const together = await outcomesOf(shots)
    if (!together) return
    this.programs.set(method, (this.programs.get(method) ?? 0) + 1)
    for (const [set, { counts, outcomes }] of together.entries()) {
      await this.#judge(program, method, set, counts, expected[set] ?? new Map())
      if (!Bun.deepEquals(countsIn(outcomes), counts))
        this.#fault(program, method, 'memory and counts differ')
    }
    if (!FIXED.has(method)) return
    // Fewer shots are grouped in another way: the outcome of each stays.
    for (const few of [1, 9]) {
      const first = together.map(({ outcomes }) => outcomes.slice(0, few))
      const alone = (await outcomesOf(few))?.map(({ outcomes }) => outcomes)
      if (!Bun.deepEquals(alone, first)) this.#fault(program, method, `${few} shots alone differ`)
    }
  }

  /** Judges the counts of a parameter set; improbable ones are drawn again. */
  async #judge(
    program: RandomProgram,
    method: string,
    set: number,
    first: Record<string, number>,
    expected: ReadonlyMap<string, number>,
  ): Promise<void> {
    this.#count++
    let [counts, share] = [first, shareOf(first, expected)]
    // An outcome that does not occur is none of chance.
    if (share > 0 && share < SUSPICIOUS) {
      const asked = { method, shots: DECIDING_SHOTS, seed: program.seed + 2 ** 32 }
      counts = (await resultsOf(program, asked))?.[set]?.counts ?? {}
      share = shareOf(counts, expected)
    }
    this.smallest = Math.min(this.smallest, share)
    const fault = describe(program, method, JSON.stringify(counts), expected)
    if (share < SUSPICIOUS) this.#improbable.push({ share, fault })
  }

  async #compareExact(
    program: RandomProgram,
    method: string,
    expected: readonly ReadonlyMap<string, number>[],
  ): Promise<void> {
    // A loop among many measurements has too many branches, which is found out after seconds.
    const text = textOf(program)
    if (text.includes('while') && (program.noise || text.split('measure').length > 6)) return
    const results = await resultsOf(program, { method, shots: 1, exact: true })
    for (const [set, { exact }] of (results ?? []).entries()) {
      this.exact++
      const found = new Map(Object.entries(exact?.probabilities ?? {}))
      const wanted = expected[set] ?? new Map<string, number>()
      const keys = [...found.keys(), ...wanted.keys()]
      const apart = keys.map((key) => Math.abs((found.get(key) ?? 0) - (wanted.get(key) ?? 0)))
      if (Math.max(...apart) > TOLERANCE)
        this.#fault(program, `${method}, exact`, JSON.stringify(exact), wanted)
    }
  }

  #fault(program: RandomProgram, method: string, text: string, expected?: ReadonlyMap<string, number>): void {
    this.faults.push(describe(program, method, text, expected))
  }

  summary(): string {
    const programs = [...this.programs].map(([name, count]) => `${name} ${count}`).join(', ')
    return `${this.#count} comparisons (${programs}), ${this.exact} of exact values, smallest p ${this.smallest.toExponential(1)}`
  }
}

function describe(
  program: RandomProgram,
  method: string,
  text: string,
  expected?: ReadonlyMap<string, number>,
): string {
  const wanted = expected ? ` instead of ${JSON.stringify(Object.fromEntries(expected))}` : ''
  const given = JSON.stringify([program.inputs, program.noise])
  return `seed ${program.seed}, ${method}: ${text}${wanted}\n${textOf(program)}\n${given}`
}
