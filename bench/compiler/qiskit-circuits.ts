import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRng, type Rng } from '../../src/simulator/index.ts'

const CIRCUITS = join(import.meta.dir, '../../tests/circuits')
const HEADER = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n'

/** The circuits of one kind are counted together. */
export type Family = 'adder' | 'qft' | 'qaoa' | 'grover' | 'random' | 'other'

/** A circuit to compile, in OpenQASM 2. */
export interface NamedCircuit {
  family: Family
  name: string
  qubits: number
  program: string
}

const GATES: readonly [name: string, angles: number, qubits: number][] = [
  ...['h', 'x', 's', 't', 'sx'].map((name): [string, number, number] => [name, 0, 1]),
  ...['rx', 'ry', 'rz'].map((name): [string, number, number] => [name, 1, 1]),
  ['u3', 3, 1],
  ...['cx', 'cx', 'cx', 'cz', 'cy', 'ch', 'swap'].map((name): [string, number, number] => [name, 0, 2]),
  ...['cu1', 'crz', 'cu1', 'rzz', 'rxx', 'rzz'].map((name): [string, number, number] => [name, 1, 2]),
  ['cu3', 3, 2],
  ['ccx', 0, 3],
]

/** A random circuit of 2 to `maxQubits` qubits and a depth of 5 to 60, measured at its end. */
export function randomProgram(seed: number, maxQubits: number): NamedCircuit {
  const rng = createRng(seed)
  const pick = (count: number) => Math.floor(rng.next() * count)
  const qubits = 2 + pick(maxQubits - 1)
  const depth = 5 + pick(56)
  const lines: string[] = []
  for (let layer = 0; layer < depth; layer++) {
    const free = shuffled(qubits, rng)
    while (free.length > 0) {
      const gates = GATES.filter(([, , width]) => width <= free.length)
      const [name, angles, width] = gates[pick(gates.length)] ?? ['id', 0, 1]
      lines.push(
        gate(
          name,
          Array.from({ length: angles }, () => 6 * rng.next() - 3),
          free.splice(0, width),
        ),
      )
    }
  }
  return named('random', `random ${seed}`, qubits, lines)
}

/** Sizes of each kind that are compiled for a chip with so many qubits. */
const SIZES: Readonly<Record<number, Readonly<Record<'adder' | 'qft' | 'qaoa' | 'grover', number[]>>>> = {
  5: { adder: [4], qft: [3, 4, 5], qaoa: [4, 5], grover: [3, 4, 5] },
  9: { adder: [4, 6, 8], qft: [5, 7, 9], qaoa: [6, 8, 9], grover: [4, 5, 6, 8] },
  16: { adder: [6, 10, 14, 16], qft: [6, 10, 14, 16], qaoa: [8, 12, 14, 16], grover: [5, 6, 8, 12] },
  27: { adder: [6, 10, 14, 20, 26], qft: [6, 10, 14, 20], qaoa: [8, 12, 16, 24], grover: [5, 6, 8, 10, 14] },
}

/** Adders, Fourier transforms, QAOA and searches that fit a chip of 5, 9, 16 or 27 qubits. */
export function familyPrograms(chipQubits: number): NamedCircuit[] {
  const { adder = [], qft = [], qaoa = [], grover = [] } = SIZES[chipQubits] ?? {}
  return [
    ...adder.map((qubits) => named('adder', `adder ${qubits}`, qubits, rippleCarry(qubits))),
    ...qft.map((qubits) => named('qft', `qft ${qubits}`, qubits, [...product(qubits), ...fourier(qubits)])),
    ...qaoa.map((qubits) => named('qaoa', `qaoa ${qubits}`, qubits, approximate(qubits))),
    ...grover.map((qubits) => named('grover', `grover ${qubits}`, qubits, searched(qubits))),
  ]
}

/** Circuits of no such kind that fit the chip: those of `tests/circuits` and some of other sizes. */
export function otherPrograms(maxQubits: number): NamedCircuit[] {
  const stored = readdirSync(CIRCUITS)
    .filter((file) => file.endsWith('.qasm'))
    .map((file) => ({ name: file.slice(0, -5), program: readFileSync(join(CIRCUITS, file), 'utf8') }))
    .filter(({ program }) => !/\bif\s*\(/.test(program))
    .map((each): NamedCircuit => ({ ...each, family: 'other', qubits: qubitsOf(each.program) }))
  const made = [4, 6, 8, 10, 12].flatMap((qubits) => [
    named('other', `quantum volume ${qubits}`, qubits, volume(qubits)),
    named('other', `ghz ${qubits}`, qubits, greenberger(qubits)),
    named('other', `vqe ${qubits}`, qubits, variational(qubits)),
  ])
  return [...stored, ...made].filter(({ qubits }) => qubits <= maxQubits)
}

function named(family: Family, name: string, qubits: number, lines: readonly string[]): NamedCircuit {
  return { family, name, qubits, program: programOf(qubits, lines) }
}

function programOf(qubits: number, lines: readonly string[]): string {
  return `${HEADER}qreg q[${qubits}];\ncreg c[${qubits}];\n${lines.join('\n')}\nmeasure q -> c;\n`
}

function gate(name: string, angles: readonly number[], qubits: readonly number[]): string {
  const values = angles.length === 0 ? '' : `(${angles.map((each) => each.toFixed(12)).join(',')})`
  return `${name}${values} ${qubits.map((qubit) => `q[${qubit}]`).join(',')};`
}

function qubitsOf(program: string): number {
  return [...program.matchAll(/qreg\s+\w+\s*\[(\d+)\]/g)].reduce((sum, [, size]) => sum + Number(size), 0)
}

function shuffled(count: number, rng: Rng): number[] {
  const order = Array.from({ length: count }, (_, index) => index)
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(rng.next() * (at + 1))
    ;[order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0]
  }
  return order
}

/** Each qubit in a state of its own, so that gates on states that are known do not fall away. */
function product(qubits: number): string[] {
  const rng = createRng(300 + qubits)
  return Array.from({ length: qubits }, (_, at) => gate('u3', [3 * rng.next(), 6 * rng.next(), 0], [at]))
}

/** Cuccaro and others, arXiv:quant-ph/0410184: a carry, two numbers bit by bit, and the last carry. */
function rippleCarry(qubits: number): string[] {
  const bits = (qubits - 2) / 2
  const [b, a] = [(bit: number) => 2 * bit + 1, (bit: number) => 2 * bit + 2]
  const carry = (bit: number) => (bit === 0 ? 0 : a(bit - 1))
  const lines = product(qubits).slice(1, -1)
  for (let bit = 0; bit < bits; bit++) {
    lines.push(gate('cx', [], [a(bit), b(bit)]), gate('cx', [], [a(bit), carry(bit)]))
    lines.push(gate('ccx', [], [carry(bit), b(bit), a(bit)]))
  }
  lines.push(gate('cx', [], [a(bits - 1), qubits - 1]))
  for (let bit = bits - 1; bit >= 0; bit--) {
    lines.push(gate('ccx', [], [carry(bit), b(bit), a(bit)]))
    lines.push(gate('cx', [], [a(bit), carry(bit)]), gate('cx', [], [carry(bit), b(bit)]))
  }
  return lines
}

/**
 * Two rounds of Grover's search for one state: with up to 5 qubits by gates with many controls, with more
 * by a chain of ccx on ancillas, n - 2 for n qubits that are searched.
 */
function searched(qubits: number): string[] {
  const searching = qubits <= 5 ? qubits : (qubits + 2) / 2
  const all = Array.from({ length: searching }, (_, at) => at)
  const each = (name: string, chosen = all) => chosen.map((at) => gate(name, [], [at]))
  const marked = all.filter((at) => at % 3 === 1)
  const flip = qubits <= 5 ? directFlip(all) : chainedFlip(all, qubits)
  const round = [
    ...[...each('x', marked), ...flip, ...each('x', marked)],
    ...[...each('h'), ...each('x'), ...flip, ...each('x'), ...each('h')],
  ]
  return [...each('h'), ...round, ...round]
}

function directFlip(qubits: readonly number[]): string[] {
  const target = qubits.length - 1
  const name = ['', 'x', 'cx', 'ccx', 'c3x', 'c4x'][qubits.length] ?? ''
  return [gate('h', [], [target]), gate(name, [], qubits), gate('h', [], [target])]
}

function chainedFlip(qubits: readonly number[], total: number): string[] {
  const [first = 0, second = 0, ...others] = qubits
  const target = others.pop() ?? 0
  let ancilla = qubits.length
  const chain = [gate('ccx', [], [first, second, ancilla])]
  for (const each of others) chain.push(gate('ccx', [], [each, ancilla, ++ancilla]))
  if (ancilla >= total) throw new RangeError('too few ancillas')
  return [...chain, gate('cz', [], [ancilla, target]), ...chain.toReversed()]
}

function fourier(qubits: number): string[] {
  const lines: string[] = []
  for (let target = qubits - 1; target >= 0; target--) {
    lines.push(gate('h', [], [target]))
    for (let control = target - 1; control >= 0; control--) {
      lines.push(gate('cu1', [Math.PI / 2 ** (target - control)], [control, target]))
    }
  }
  for (let at = 0; at < Math.floor(qubits / 2); at++) lines.push(gate('swap', [], [at, qubits - 1 - at]))
  return lines
}

/** Two layers on a random graph with three edges a qubit. */
function approximate(qubits: number): string[] {
  const rng = createRng(qubits)
  const lines = Array.from({ length: qubits }, (_, at) => gate('h', [], [at]))
  const edges = Array.from({ length: 3 }, () => shuffled(qubits, rng)).flatMap((order) =>
    order.flatMap((one, at) => (at % 2 === 1 ? [[order[at - 1] ?? 0, one] as const] : [])),
  )
  for (const [gamma, beta] of [
    [0.4, 0.9],
    [0.7, 0.3],
  ] as const) {
    for (const edge of edges) lines.push(gate('rzz', [gamma], edge))
    for (let at = 0; at < qubits; at++) lines.push(gate('rx', [beta], [at]))
  }
  return lines
}

/** As many layers as qubits of random unitaries on random pairs, each by three CX. */
function volume(qubits: number): string[] {
  const rng = createRng(100 + qubits)
  const lines: string[] = []
  const turn = (at: number) => lines.push(gate('u3', [3 * rng.next(), 6 * rng.next(), 6 * rng.next()], [at]))
  for (let layer = 0; layer < qubits; layer++) {
    const order = shuffled(qubits, rng)
    for (let at = 0; at + 1 < qubits; at += 2) {
      const [one = 0, other = 0] = order.slice(at, at + 2)
      for (const pair of [
        [one, other],
        [other, one],
        [one, other],
      ]) {
        turn(one)
        turn(other)
        lines.push(gate('cx', [], pair))
      }
      turn(one)
      turn(other)
    }
  }
  return lines
}

function greenberger(qubits: number): string[] {
  return [gate('h', [], [0]), ...Array.from({ length: qubits - 1 }, (_, at) => gate('cx', [], [at, at + 1]))]
}

/** Four layers of rotations and a ring of CX. */
function variational(qubits: number): string[] {
  const rng = createRng(200 + qubits)
  return Array.from({ length: 4 }, () => [
    ...Array.from({ length: qubits }, (_, at) => gate('ry', [6 * rng.next()], [at])),
    ...Array.from({ length: qubits }, (_, at) => gate('cx', [], [at, (at + 1) % qubits])),
  ]).flat()
}
