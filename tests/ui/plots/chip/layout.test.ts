import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { layOut, minDistance, neighborInDirection } from '../../../../ui/plots/chip/layout.ts'

type Pair = [number, number]

/** Couplers of a grid with this many columns. */
function gridPairs(rows: number, columns: number): Pair[] {
  return Array.from({ length: rows * columns }, (_, index) => index).flatMap((index) => [
    ...((index + 1) % columns === 0 ? [] : [[index, index + 1] as Pair]),
    ...(index + columns < rows * columns ? [[index, index + columns] as Pair] : []),
  ])
}

/** Heavy hexagons as a ring with bridges: no grid of rows. */
function ringPairs(qubits: number): Pair[] {
  return Array.from({ length: qubits }, (_, index) => [index, (index + 1) % qubits])
}

test('no two qubits overlap, whatever the couplers, and the same chip looks the same each time', () => {
  const chip = fc.integer({ min: 1, max: 120 }).chain((qubits) =>
    fc.record({
      qubits: fc.constant(qubits),
      couplers: fc.array(
        fc.tuple(fc.integer({ min: 0, max: qubits - 1 }), fc.integer({ min: 0, max: qubits - 1 })),
        { maxLength: 2 * qubits },
      ),
    }),
  )
  fc.assert(
    fc.property(chip, (shape) => {
      const layout = layOut(shape)
      expect(layout.points).toHaveLength(shape.qubits)
      if (shape.qubits > 1) expect(minDistance(layout.points)).toBeGreaterThan(1 - 1e-9)
      for (const { x, y } of layout.points) {
        expect(Number.isFinite(x) && Number.isFinite(y) && x >= 0 && y >= 0).toBe(true)
        expect(x <= layout.width && y <= layout.height).toBe(true)
      }
      expect(layOut(shape)).toEqual(layout)
    }),
    { numRuns: 60 },
  )
})

test('a grid is recognized by its couplers', () => {
  const { points, kind, width, height } = layOut({ qubits: 25, couplers: gridPairs(5, 5) })
  expect([kind, width, height]).toEqual(['grid', 4, 4])
  expect(points[7]).toEqual({ x: 2, y: 1 })
  expect(layOut({ qubits: 6, couplers: gridPairs(2, 3) })).toMatchObject({
    kind: 'grid',
    width: 2,
    height: 1,
  })
})

test('a long chain is folded so that neighbors stay neighbors', () => {
  const couplers = Array.from({ length: 39 }, (_, index) => [index, index + 1] as Pair)
  const { points, kind } = layOut({ qubits: 40, couplers })
  expect(kind).toBe('grid')
  for (const [one, other] of couplers) {
    const [from, to] = [points[one], points[other]]
    expect(Math.hypot((from?.x ?? 0) - (to?.x ?? 9), (from?.y ?? 0) - (to?.y ?? 9))).toBe(1)
  }
})

test('a ring is drawn with its neighbors near one another', () => {
  const couplers = ringPairs(20)
  const { points, kind } = layOut({ qubits: 20, couplers })
  expect(kind).toBe('drawn')
  for (const [one, other] of couplers) {
    const [from, to] = [points[one], points[other]]
    expect(Math.hypot((from?.x ?? 0) - (to?.x ?? 9), (from?.y ?? 0) - (to?.y ?? 9))).toBeLessThan(2)
  }
})

test('given places are used unless two of them are nearly the same', () => {
  const places = [
    { x: 10, y: 10 },
    { x: 30, y: 10 },
    { x: 10, y: 50 },
  ]
  const { points, kind } = layOut({ qubits: 3, couplers: [[0, 1]], places })
  expect(kind).toBe('given')
  expect(points).toEqual([
    { x: 0, y: 0 },
    { x: 1, y: 0 },
    { x: 0, y: 2 },
  ])
  for (const bad of [
    [
      { x: 0, y: 0 },
      { x: 0, y: 0 },
      { x: 1, y: 1 },
    ],
    [
      { x: 0, y: 0 },
      { x: 1e-9, y: 0 },
      { x: 1, y: 1 },
    ],
    [{ x: 0, y: 0 }, undefined, { x: 1, y: 1 }],
    [
      { x: -1e308, y: 0 },
      { x: 1e308, y: 0 },
      { x: 1, y: 1 },
    ],
  ]) {
    expect(layOut({ qubits: 3, couplers: [[0, 1]], places: bad }).kind).not.toBe('given')
  }
})

test('a chip of 1,024 qubits that is no grid is placed', () => {
  const couplers = gridPairs(32, 32).filter(([one, other]) => other - one === 1 || one % 2 === 0)
  const extra: Pair[] = [
    [0, 35],
    [100, 133],
  ]
  const { points, kind } = layOut({ qubits: 1_024, couplers: [...couplers, ...extra] })
  expect(kind).toBe('drawn')
  expect(minDistance(points)).toBeGreaterThan(1 - 1e-9)
})

test('arrow keys go to the neighbor in their direction and stay at the edge', () => {
  const { points } = layOut({ qubits: 9, couplers: gridPairs(3, 3) })
  const go = (from: number, x: number, y: number) => neighborInDirection(points, from, { x, y })
  expect([go(4, 1, 0), go(4, -1, 0), go(4, 0, -1), go(4, 0, 1)]).toEqual([5, 3, 1, 7])
  expect([go(0, -1, 0), go(0, 0, -1), go(8, 1, 0)]).toEqual([0, 0, 8])
})
