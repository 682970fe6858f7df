import { describe, expect, test } from 'bun:test'
import { toNative } from '../../../src/devices/compiler/decompose/native.ts'
import { type OptimizationLevel, place, stepsOf } from '../../../src/devices/compiler/levels.ts'
import type { Coupling } from '../../../src/devices/compiler/route/coupling.ts'
import { lowerProgram, type Op, parseProgram } from '../../../src/qasm/index.ts'
import { createRng } from '../../../src/simulator/index.ts'
import { drawnSeeds } from '../../support/random/drawn-seeds.ts'
import { part } from '../../support/whole.ts'
import { grid, line } from './support/couplings.ts'
import { outcomeProbabilities, totalVariation } from './support/exact.ts'
import { randomCircuit } from './support/random-circuit.ts'
import { bitProbabilities } from './support/unitary.ts'

const QUBITS = 5
const NONE = new Map<number, number>()
/** At a place through which no other qubit has to pass. */
const FIXED = new Map([[3, 0]])
const CHIPS: readonly Coupling[] = [
  line(5),
  grid(2, 3),
  { qubits: 6, edges: [0, 1, 2, 3, 4].map((at) => [at, 5] as const) },
]

function opsOf(statements: string): readonly Op[] {
  const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[${QUBITS}] q; bit[8] c; ${statements}`
  const { ops } = lowerProgram(parseProgram(text), [])
  if (!ops) throw new Error('classical control')
  return ops
}

/** Gates of which many commute, some of three qubits, and a few measurements, resets and barriers between. */
function randomStatements(seed: number): string {
  const rng = createRng(seed)
  const pick = (count: number) => Math.floor(rng.next() * count)
  const statements = Array.from({ length: QUBITS }, (_, at) => `u3(${1 + at}, 0.4, ${at}) q[${at}];`)
  let bits = QUBITS
  for (let gate = 0; gate < 26; gate++) {
    const order = Array.from({ length: QUBITS }, (_, at) => at).toSorted(() => rng.next() - 0.5)
    const [a, b, c] = order.map((at) => `q[${at}]`)
    const angle = (3 * rng.next()).toFixed(3)
    const kinds = [
      ...[`cp(${angle}) ${a}, ${b};`, `cx ${a}, ${b};`, `cz ${a}, ${b};`, `swap ${a}, ${b};`],
      ...[`cp(${angle}) ${a}, ${b};`, `cx ${a}, ${b};`, `cz ${a}, ${b};`, `ch ${a}, ${b};`],
      ...[`h ${a};`, `rx(${angle}) ${a};`, `rz(${angle}) ${a};`, `s ${a};`],
      ...[`ccx ${a}, ${b}, ${c};`, `cu(${angle}, 1, 2, 3) ${a}, ${b};`],
    ]
    const others = [`barrier ${a}, ${b};`, `reset ${a};`, `delay[40ns] ${a};`]
    if (bits < 8) others.push(`c[${bits}] = measure ${a};`)
    const statement = pick(8) === 0 ? others[pick(others.length)] : kinds[pick(kinds.length)]
    if (statement?.includes('measure')) bits++
    statements.push(statement ?? '')
  }
  const ends = Array.from({ length: QUBITS }, (_, at) => `c[${at}] = measure q[${at}];`)
  return [...statements, ...ends].join(' ')
}

describe('place() keeps the probabilities of all bits', () => {
  test.each<OptimizationLevel>([0, 1, 2])('at level %d', (level) => {
    for (const [index, seed] of drawnSeeds(part(400, 8)).entries()) {
      const coupling = CHIPS[index % CHIPS.length] ?? line(5)
      const ops = opsOf(randomStatements(seed))
      const fixed = index % 4 === 0 ? FIXED : NONE
      const request = { steps: stepsOf(ops, level), qubits: QUBITS, fixed, coupling }
      const native = toNative(place(request, level).steps)
      const edges = coupling.edges.flatMap(([one, other]) => [`${one} ${other}`, `${other} ${one}`])
      for (const op of native) if (op.kind === 'cz') expect(edges).toContain(op.qubits.join(' '))
      const variation = totalVariation(
        numbered(bitProbabilities(QUBITS, ops)),
        numbered(bitProbabilities(coupling.qubits, native)),
      )
      expect({ seed, isSame: variation < 1e-9 }).toEqual({ seed, isSame: true })
    }
  })
})

test('place() keeps the probabilities of long circuits: rounding does not add up', () => {
  for (const seed of drawnSeeds(part(40, 3))) {
    const { qubits, ops } = randomCircuit(seed, 8, 30)
    const { steps } = place({ steps: stepsOf(ops, 1), qubits, fixed: NONE, coupling: grid(3, 3) }, 1)
    const variation = totalVariation(outcomeProbabilities(ops), outcomeProbabilities(toNative(steps)))
    expect({ seed, isSame: variation < 1e-12 }).toEqual({ seed, isSame: true })
  }
})

const numbered = (probabilities: ReadonlyMap<string, number>) =>
  new Map([...probabilities].map(([bits, probability]) => [Number.parseInt(bits, 2), probability]))
