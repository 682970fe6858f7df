import { describe, expect, test } from 'bun:test'
import { decompose } from '../../../../src/devices/compiler/decompose/decompose.ts'
import { toNative } from '../../../../src/devices/compiler/decompose/native.ts'
import { relativeToffolis } from '../../../../src/devices/compiler/decompose/relative-toffoli.ts'
import { lowerProgram, type Op, parseProgram } from '../../../../src/qasm/index.ts'
import { createRng } from '../../../../src/simulator/index.ts'
import { drawnSeeds } from '../../../support/random/drawn-seeds.ts'
import { part } from '../../../support/whole.ts'
import { distance, unitaryOf } from '../support/unitary.ts'

const QUBITS = 5

function opsOf(statements: string): readonly Op[] {
  const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[${QUBITS}] q; bit[${QUBITS}] c; ${statements}`
  const { ops } = lowerProgram(parseProgram(text), [])
  if (!ops) throw new Error('classical control')
  return ops
}

/** How the state that a circuit makes of the ground state differs from that of its decomposition. */
function difference(ops: readonly Op[]): number {
  const [exact, made] = [ops, toNative(decompose(ops, false, relativeToffolis(ops)))].map((each) =>
    unitaryOf(QUBITS, each, 1),
  )
  return distance(exact ?? [], made ?? [])
}

/** Some ccx come back, so that pairs are frequent, with all else that a pair may or may not span. */
function randomStatements(seed: number): string {
  const rng = createRng(seed)
  const pick = (count: number) => Math.floor(rng.next() * count)
  const statements = Array.from({ length: QUBITS }, (_, at) =>
    pick(3) === 0 ? '' : `ry(${1 + at}) q[${at}];`,
  )
  const toffolis: string[] = []
  for (let gate = 0; gate < 24; gate++) {
    const order = Array.from({ length: QUBITS }, (_, at) => at).toSorted(() => rng.next() - 0.5)
    const [a, b, c] = order.map((at) => `q[${at}]`)
    const again = toffolis[pick(toffolis.length)]
    const values = ['ctrl @ ctrl @ x', 'negctrl @ ctrl @ x', 'negctrl(2) @ x'][pick(3)]
    const toffoli = pick(2) === 0 && again ? again : `${values} ${a}, ${b}, ${c};`
    const kinds = [
      ...Array<string>(6).fill(toffoli),
      ...[`cx ${a}, ${b};`, `cx ${a}, ${b};`, `x ${a};`, `y ${a};`, `swap ${a}, ${b};`, `t ${a};`],
      ...[`cz ${a}, ${b};`, `cp(0.4) ${a}, ${b};`, `h ${a};`, `cy ${a}, ${b};`, `ch ${a}, ${b};`],
      ...[`cswap ${a}, ${b}, ${c};`, `ctrl @ ctrl @ z ${a}, ${b}, ${c};`, `negctrl @ x ${a}, ${b};`],
      `barrier ${a}, ${b};`,
    ]
    const statement = kinds[pick(kinds.length)] ?? ''
    if (statement === toffoli) toffolis.push(toffoli)
    statements.push(statement)
  }
  return statements.join(' ')
}

describe('relativeToffolis()', () => {
  test.each([
    ['a pair around what keeps its values', 'ccx q[0], q[1], q[2]; cx q[2], q[3]; ccx q[1], q[0], q[2];', 2],
    [
      'a pair around a gate that any state leaves',
      'ccx q[0], q[1], q[2]; ry(1) q[3]; ccx q[0], q[1], q[2];',
      2,
    ],
    [
      'a pair whose values have been moved and brought back',
      'ccx q[0], q[1], q[2]; cx q[2], q[0]; swap q[1], q[3]; cx q[2], q[0]; ccx q[0], q[3], q[2];',
      2,
    ],
    ['no pair with another target', 'ccx q[0], q[1], q[2]; x q[2]; ccx q[0], q[1], q[2];', 0],
    ['no pair with another control', 'ccx q[0], q[1], q[2]; cx q[3], q[1]; ccx q[0], q[1], q[2];', 0],
    ['no pair across a barrier', 'ccx q[0], q[1], q[2]; barrier q[4]; ccx q[0], q[1], q[2];', 0],
    ['no pair after another state', 'ccx q[0], q[1], q[2]; h q[2]; ccx q[0], q[1], q[2];', 0],
    ['a gate on a target that is 0', 'reset q[2]; ccx q[0], q[1], q[2];', 1],
  ])('finds %s', (_, statements, count) => {
    const ops = opsOf(`h q; ry(0.3) q; ${statements}`)
    expect(relativeToffolis(ops).size).toBe(count)
    if (!statements.includes('reset')) expect(difference(ops)).toBeLessThan(1e-12)
  })

  test('keeps the states of random circuits', () => {
    let found = 0
    for (const seed of drawnSeeds(part(2_000, 100))) {
      const ops = opsOf(randomStatements(seed))
      found += relativeToffolis(ops).size
      expect({ seed, isSame: difference(ops) < 1e-11 }).toEqual({ seed, isSame: true })
    }
    expect(found).toBeGreaterThan(100)
  })
})
