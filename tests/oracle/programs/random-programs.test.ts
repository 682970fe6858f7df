import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { shareOf } from '../../simulator/random-programs/compare.ts'
import { randomProgram } from '../../simulator/random-programs/generate.ts'
import { NOISY } from '../../simulator/random-programs/matrices.ts'
import {
  type BitValue,
  GATES,
  type NoiseSpec,
  type Operand,
  type RandomProgram,
  type Statement,
  type Truth,
} from '../../simulator/random-programs/program.ts'
import { distributionOf } from '../../simulator/random-programs/reference.ts'
import { openPython } from '../../support/python/python.ts'
import { RUNS_WHOLE } from '../../support/whole.ts'
import { type Aer, startAer } from '../aer.ts'

/** `SEED` repeats the programs of a run that failed. */
const FIRST = RUNS_WHOLE ? Number(process.env['SEED'] ?? Math.floor(2 ** 31 * Math.random())) : 1
const PROGRAMS = RUNS_WHOLE ? 2_000 : 100
const SHOTS = 500
/** Bits that a translation adds. */
const UNREAD = 2
/** Probability that a run without a fault fails. */
const FALSE_ALARMS = 1e-6

setDefaultTimeout(RUNS_WHOLE ? 1_200_000 : 120_000)

/** What Aer does not express: the values of loop variables besides qubits, and the end of a program. */
class NotExpressed extends Error {}

/** The value of each name that stands for a number or a qubit. */
type Names = Readonly<Record<string, number>>

/** A program for `control_flow.py`: inputs have their values, calls their bodies, qubits their places. */
class Translation {
  readonly #program: RandomProgram
  readonly #places: ReadonlyMap<number, number>

  constructor(program: RandomProgram) {
    this.#program = program
    this.#places = new Map(program.touched.map((qubit, place) => [qubit, place]))
  }

  /** The statements with the values of a parameter set. */
  of(set: number) {
    const { registers, statements, inputs, noise } = this.#program
    return {
      qubits: this.#places.size,
      // Behind those of the program: the bit of subroutines, and one for outcomes that nobody reads.
      registers: [...registers, ['r', 1], ['unread', 1]],
      statements: this.#block(statements, { ...inputs[set] }),
      ...(noise && { noise: noiseOf(noise, this.#places.size) }),
    }
  }

  #block(body: readonly Statement[], names: Names): unknown[] {
    return body.flatMap((node) => this.#statement(node, names))
  }

  #gate({ gate: name, angle, qubits, modifiers: written }: Statement & { kind: 'gate' }, names: Names) {
    // Aer composes `ch` of gates that may have noise; a matrix has none.
    const [gate, modifiers] = name === 'ch' ? ['h', [...written, 'ctrl']] : [name, written]
    const value = typeof angle === 'object' ? angle.factor * Number(names[angle.input]) : (angle ?? 0)
    return {
      kind: 'gate',
      gate,
      params: GATES[gate]?.[0] === 1 ? [value] : [],
      modifiers: modifiers.map((each) =>
        each.startsWith('pow')
          ? { kind: 'pow', exponent: Number(each.slice(4, -1)) }
          : { kind: each, ...(each !== 'inv' && { count: 1 }) },
      ),
      qubits: qubits.map((qubit) => this.#place(qubit, names)),
    }
  }

  #place(qubit: Operand, names: Names) {
    return this.#places.get(typeof qubit === 'number' ? qubit : Number(names[qubit]))
  }

  #statement(node: Statement, names: Names): unknown[] {
    const place = (qubit: Operand) => this.#place(qubit, names)
    switch (node.kind) {
      case 'gate':
        return [this.#gate(node, names)]
      case 'measure':
        return [{ ...node, qubit: place(node.qubit), bit: node.bit ?? { register: 'unread', index: 0 } }]
      case 'reset':
        return [{ ...node, qubit: place(node.qubit) }]
      case 'barrier':
        return []
      case 'if': {
        const truth = this.#truth(node.truth, names)
        const [taken, otherwise] = [this.#block(node.taken, names), this.#block(node.otherwise ?? [], names)]
        if (typeof truth === 'boolean') return truth ? taken : otherwise
        return [{ ...node, truth, taken, otherwise }]
      }
      case 'while':
        return [{ ...node, body: this.#block(node.body, names) }]
      case 'for':
        return this.#for(node, names)
      case 'switch': {
        const cases = node.cases.map(({ values, body }) => ({ values, body: this.#block(body, names) }))
        return [{ ...node, cases, otherwise: this.#block(node.otherwise, names) }]
      }
      case 'call': {
        const [a, b] = node.qubits.map((qubit) => (typeof qubit === 'number' ? qubit : Number(names[qubit])))
        const body = this.#program.subroutines.find(({ name }) => name === node.name)?.body ?? []
        const r: BitValue = { kind: 'bit', bit: { register: 'r', index: 0 } }
        const result = node.bit ? [{ kind: 'assign', bit: node.bit, value: r }] : []
        return [...this.#block(body, { a: Number(a), b: Number(b) }), ...result]
      }
      case 'end':
        throw new NotExpressed()
      default:
        return [node]
    }
  }

  /** Rounds one after the other; a loop that is left early stays one, without the number of the round. */
  #for(node: Statement & { kind: 'for' }, names: Names): unknown[] {
    const rounds = Array.from({ length: node.to - node.from + 1 }, (_, round) =>
      this.#block(node.body, { ...names, [node.name]: node.from + round }),
    )
    if (!/"(break|continue)"/.test(JSON.stringify(rounds))) return rounds.flat()
    if (rounds.some((round) => !Bun.deepEquals(round, rounds[0]))) throw new NotExpressed()
    return [{ ...node, body: rounds[0] }]
  }

  /** A condition on bits, or what it is if numbers decide it. */
  #truth(truth: Truth, names: Names): Truth | boolean {
    if (truth.kind === 'number') return names[truth.name] === truth.value
    if (truth.kind !== '&&' && truth.kind !== '||') return truth
    const [one, other] = [this.#truth(truth.one, names), this.#truth(truth.other, names)]
    // What decides the whole, or else leaves it to the other side.
    const decides = truth.kind === '||'
    if (typeof one === 'boolean') return one === decides ? decides : other
    if (typeof other === 'boolean') return other === decides ? decides : one
    return { kind: truth.kind, one, other }
  }
}

/** Noise of the programs as a noise file has it: the last letter acts on the first qubit. */
function noiseOf({ x, z, damping, pair, readout: [one, zero] }: NoiseSpec, qubits: number) {
  const rules = [1, 2].map((width) => ({
    gate: [...NOISY].filter((gate) => width === (GATES[gate]?.[1] ?? 0) + (GATES[gate]?.[2] ?? 0)),
    width,
    errors: [
      ...Array.from({ length: width }, (_, at) => ({
        pauli: {
          [`${'I'.repeat(width - 1 - at)}X${'I'.repeat(at)}`]: x,
          [`${'I'.repeat(width - 1 - at)}Z${'I'.repeat(at)}`]: z,
        },
      })),
      { amplitude_damping: damping },
      ...(width === 2 ? [{ pauli: { ZX: pair } }] : []),
    ],
  }))
  return {
    ...(x + z + damping + pair > 0 && { gates: rules }),
    readout: [
      {
        qubits: Array.from({ length: qubits }, (_, qubit) => qubit),
        matrix: [
          [1 - one, one],
          [zero, 1 - zero],
        ],
      },
    ],
  }
}

const python = await openPython()
let aer: Aer

/** What Aer counts with the values of a parameter set; undefined for what it does not run. */
async function countsOf(program: RandomProgram, set: number): Promise<Record<string, number> | undefined> {
  try {
    const question = new Translation(program).of(set)
    const asked = { ask: 'program', ...question, shots: SHOTS, seed: program.seed }
    const all = await aer.ask<Record<string, number> | null>(asked)
    if (all === null) return undefined
    const counts: Record<string, number> = {}
    for (const [bits, count] of Object.entries(all)) {
      const read = bits.slice(UNREAD)
      counts[read] = (counts[read] ?? 0) + count
    }
    return counts
  } catch (error) {
    if (error instanceof NotExpressed) return undefined
    throw error
  }
}

describe.skipIf(!python)('Qiskit Aer agrees with the density matrices', () => {
  beforeAll(() => {
    aer = startAer(python ?? '')
  })

  afterAll(() => aer[Symbol.asyncDispose]())

  test(`of ${PROGRAMS} random programs with control flow`, async () => {
    const found: { seed: number; share: number; counts: Record<string, number> }[] = []
    for (let seed = FIRST; seed < FIRST + PROGRAMS; seed++) {
      const program = randomProgram(seed)
      const set = Math.max(0, program.inputs.length - 1)
      const counts = await countsOf(program, set)
      if (counts) found.push({ seed, share: shareOf(counts, distributionOf(program, set)), counts })
    }
    const smallest = Math.min(...found.map(({ share }) => share))
    console.info(`SEED=${FIRST}: Aer ran ${found.length} programs, smallest p ${smallest.toExponential(1)}`)
    expect(found.length).toBeGreaterThan(0.8 * PROGRAMS)
    expect(found.filter(({ share }) => share < FALSE_ALARMS / found.length)).toEqual([])
  })
})
