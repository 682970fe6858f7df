import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { lowerProgram, parseProgram } from '../../../../src/qasm/index.ts'
import { distributionOf } from '../../../simulator/support/reference.ts'
import { chiSquare, chiSquareLimit } from '../../../simulator/support/run.ts'
import { countsOf } from '../../support/programs.ts'

const folder = join(import.meta.dir, '../../../circuits')
const read = (name: string) => readFileSync(join(folder, `${name}.qasm`), 'utf8')
const names = readdirSync(folder)
  .filter((file) => file.endsWith('.qasm'))
  .map((file) => file.slice(0, -'.qasm'.length))
const qubitsOf = (name: string) => Number(/_n(\d+)/.exec(name)?.[1])

const EXPECTED: [string, Record<string, number>, string][] = [
  ['adder_n10', { '10000': 500 }, '1 + 15 = 16'],
  ['adder_n10_transpiled', { '10000': 500 }, 'the same in basis gates'],
  ['bv_n14', { '1111111111111': 500 }, 'the hidden string of 13 ones'],
  ['grover_n2', { '11': 500 }, 'the marked state'],
  ['fredkin_n3', { '101': 500 }, 'control set: the targets of 110 are exchanged'],
  ['iswap_n2', { '10': 500 }, 'the excitation has moved'],
  ['inverseqft_n4', { '0000': 500 }, 'the inverse transform of the uniform state, with feedback'],
]

for (const [name, expected, meaning] of EXPECTED) {
  test(`aer_sim runs ${name}: ${meaning}`, async () => {
    expect(await countsOf(read(name), 500)).toEqual(expected)
  })
}

for (const name of names.filter((each) => qubitsOf(each) <= 6)) {
  const program = parseProgram(read(name))
  const { ops, qubits, clbits } = lowerProgram(program, [])
  if (!ops?.some((op) => op.kind === 'measure')) continue
  test(`aer_sim samples ${name} as computed by plain complex arithmetic`, async () => {
    const counts = await countsOf(read(name), 4_000)
    const expected = distributionOf(ops, qubits, clbits)
    expect(Object.keys(counts).every((key) => (expected.get(key) ?? 0) > 0)).toBe(true)
    const { value, freedom } = chiSquare(counts, expected)
    expect(value).toBeLessThan(chiSquareLimit(freedom))
  })
}

test('aer_sim runs a circuit of 22 qubits within the time limit', async () => {
  const counts = await countsOf(read('cat_state_n22'), 1_000)
  expect(Object.keys(counts).length).toBe(2)
})

for (const name of names.filter((each) => qubitsOf(each) > 6 && qubitsOf(each) <= 20)) {
  test(`aer_sim runs ${name}`, async () => {
    const counts = await countsOf(read(name), 100)
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(100)
  })
}
