import { expect, test } from 'bun:test'
import type { UnitaryOp } from '../../../../src/qasm/index.ts'
import { CliffordRecognizer } from '../../../../src/simulator/methods/stabilizer/clifford.ts'
import { rowOperationsOf } from '../../../../src/simulator/methods/stabilizer/row-operations.ts'
import { h, x } from '../../support/ops.ts'

const S = Float64Array.of(1, 0, 0, 0, 0, 0, 0, 1)
const SX = Float64Array.of(0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5, 0.5)
const SWAP = new Float64Array(32)
for (const one of [0, 12, 18, 30]) SWAP[one] = 1
const ISWAP = new Float64Array(32)
for (const [at, part] of [
  [0, 1],
  [13, 1],
  [19, 1],
  [30, 1],
] as const)
  ISWAP[at] = part

const on = (matrix: Float64Array, ...targets: number[]): UnitaryOp => ({ ...h(0), matrix, targets })
const GATES: Record<string, UnitaryOp> = {
  h: h(0),
  s: on(S, 0),
  sx: on(SX, 0),
  cx: x(1, 0) as UnitaryOp,
  swap: on(SWAP, 0, 1),
  iswap: on(ISWAP, 0, 1),
}

for (const [name, gate] of Object.entries(GATES)) {
  test(`the row operations of ${name} map X and Z of each qubit to their images`, () => {
    const clifford = new CliffordRecognizer().recognize(gate)
    if (!clifford) throw new Error('not a Clifford gate')
    const { images } = clifford
    for (const [index, image] of images.entries()) {
      const rows: number[] = images.map((_, row) => (row === index ? 1 : 0))
      for (const { kind, to, from } of rowOperationsOf(images)) {
        const [target = 0, source = 0] = [rows[to], rows[from]]
        rows[to] = kind === 'exchange' ? source : target ^ source
        if (kind === 'exchange') rows[from] = target
      }
      const expected = images.map((_, row) => ((row & 1 ? image.z : image.x) >> (row >> 1)) & 1)
      expect(rows).toEqual(expected)
    }
  })
}

test('a controlled X takes two additions, a swap and a Hadamard gate no arithmetic', () => {
  const kindsOf = (gate: UnitaryOp | undefined) =>
    rowOperationsOf((gate && new CliffordRecognizer().recognize(gate))?.images ?? []).map(({ kind }) => kind)
  expect(kindsOf(GATES['cx'])).toEqual(['add', 'add'])
  expect(kindsOf(GATES['h'])).toEqual(['exchange'])
  expect(kindsOf(GATES['swap'])).toEqual(['exchange', 'exchange'])
})
