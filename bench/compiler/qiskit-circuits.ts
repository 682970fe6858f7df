import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRng, type Rng } from '../../src/simulator/index.ts'

const CIRCUITS = join(import.meta.dir, '../../tests/circuits')
const HEADER = 'OPENQASM 2.0;\ninclude "qelib1.inc";\n'

/** A circuit to compile, in OpenQASM 2. */
export interface NamedCircuit {
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

/** A random circuit of 2 to 12 qubits and a depth of 5 to 60, measured at its end. */
export function randomProgram(seed: number): NamedCircuit {
  const rng = createRng(seed)
  const pick = (count: number) => Math.floor(rng.next() * count)
  const qubits = 2 + pick(11)
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
  return { name: `random ${seed}`, qubits, program: programOf(qubits, lines) }
}

/** Circuits with a name that fit the chip: those of `tests/circuits` and some of other sizes. */
export function namedPrograms(maxQubits: number): NamedCircuit[] {
  const stored = readdirSync(CIRCUITS)
    .filter((file) => file.endsWith('.qasm'))
    .map((file) => ({ name: file.slice(0, -5), program: readFileSync(join(CIRCUITS, file), 'utf8') }))
    .filter(({ program }) => !/\bif\s*\(/.test(program))
    .map((each) => ({ ...each, qubits: qubitsOf(each.program) }))
    .filter(({ qubits }) => qubits <= maxQubits)
  const made = [4, 6, 8, 10, 12].flatMap((qubits) => [
    { name: `qft ${qubits}`, qubits, program: programOf(qubits, fourier(qubits)) },
    { name: `qaoa ${qubits}`, qubits, program: programOf(qubits, approximate(qubits)) },
    { name: `quantum volume ${qubits}`, qubits, program: programOf(qubits, volume(qubits)) },
    { name: `ghz ${qubits}`, qubits, program: programOf(qubits, greenberger(qubits)) },
    { name: `vqe ${qubits}`, qubits, program: programOf(qubits, variational(qubits)) },
  ])
  return [...stored, ...made]
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
