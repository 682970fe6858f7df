import { meanOf } from '../../../src/base/portable/mean.ts'
import type { Point } from './point.ts'

/** Qubits from which distances are measured; more give no better picture. */
const PIVOTS = 24
const ROUNDS = 220
/** Qubits that are not joined keep this distance if they can; joined ones have the distance 1. */
const APART = 1.55
/** Closest pair after the last rounds, which only push apart. */
const SEPARATION = 0.8

/**
 * Places qubits by their couplers: neighbors near one another, others apart. Deterministic, because it starts
 * from distances in the graph. A chip of several parts has them side by side.
 */
export function forceLayout(qubits: number, couplers: readonly (readonly [number, number])[]): Point[] {
  const neighbors: number[][] = Array.from({ length: qubits }, () => [])
  for (const [one, other] of couplers) {
    neighbors[one]?.push(other)
    neighbors[other]?.push(one)
  }
  const placed: Point[] = Array.from({ length: qubits }, () => ({ x: 0, y: 0 }))
  const parts = partsOf(neighbors).map((part) => ({ part, points: placePart(part, neighbors) }))
  const total = parts.reduce(
    (sum, { points }) => sum + (spanOf(points, 'x') + 2) * (spanOf(points, 'y') + 2),
    0,
  )
  const rowWidth = Math.sqrt(total) * 1.2
  const corner = { x: 0, y: 0 }
  let rowHeight = 0
  for (const { part, points } of parts) {
    const width = spanOf(points, 'x')
    if (corner.x > 0 && corner.x + width > rowWidth) {
      corner.x = 0
      corner.y += rowHeight + 1.4
      rowHeight = 0
    }
    const [left, top] = [minOf(points, 'x'), minOf(points, 'y')]
    for (const [index, qubit] of part.entries()) {
      const { x, y } = points[index] as Point
      placed[qubit] = { x: corner.x + x - left, y: corner.y + y - top }
    }
    corner.x += width + 1.4
    rowHeight = Math.max(rowHeight, spanOf(points, 'y'))
  }
  return placed
}

/** The connected parts, the largest first. */
function partsOf(neighbors: readonly number[][]): number[][] {
  const seen = new Set<number>()
  const parts: number[][] = []
  for (const start of neighbors.keys()) {
    if (seen.has(start)) continue
    const part = [start]
    seen.add(start)
    for (const qubit of part) {
      for (const next of neighbors[qubit] ?? []) {
        if (seen.has(next)) continue
        seen.add(next)
        part.push(next)
      }
    }
    parts.push(part)
  }
  return parts.toSorted((one, other) => other.length - one.length)
}

function placePart(part: readonly number[], neighbors: readonly number[][]): Point[] {
  const indexOf = new Map(part.map((qubit, index) => [qubit, index]))
  const joined = part.map((qubit) => (neighbors[qubit] ?? []).map((other) => indexOf.get(other) ?? 0))
  const points = startPlaces(joined)
  relax(points, joined, ROUNDS)
  separate(points)
  return points
}

/** Two coordinates from the distances to some pivots, along the two directions in which they vary most. */
function startPlaces(joined: readonly number[][]): Point[] {
  const columns: number[][] = []
  let nearest = joined.map(() => Number.POSITIVE_INFINITY)
  for (let pivot = 0; columns.length < Math.min(PIVOTS, joined.length); ) {
    const steps = stepsFrom(pivot, joined)
    columns.push(steps.map((step) => step ** 2))
    nearest = nearest.map((old, index) => Math.min(old, steps[index] ?? 0))
    pivot = nearest.indexOf(Math.max(...nearest))
  }
  const table = doublyCentered(columns)
  const first = mainDirection(table, undefined)
  const second = mainDirection(table, first)
  const length = Math.max(1, Math.sqrt(joined.length))
  const along = (direction: readonly number[]) => {
    const values = joined.map((_, row) =>
      table.reduce((sum, column, at) => sum + (column[row] ?? 0) * (direction[at] ?? 0), 0),
    )
    const most = Math.max(...values.map(Math.abs), 1e-9)
    return values.map((value) => (value / most) * (length / 2))
  }
  const [xs, ys] = [along(first), along(second)]
  // A small fixed offset tells symmetric qubits apart.
  return xs.map((x, index) => ({ x: x + wobble(index), y: (ys[index] ?? 0) + wobble(index + 0.5) }))
}

function wobble(seed: number): number {
  const value = Math.sin((seed + 1) * 12.9898) * 43_758.5453
  return (value - Math.floor(value) - 0.5) * 0.1
}

function stepsFrom(start: number, joined: readonly number[][]): number[] {
  const steps = joined.map(() => -1)
  steps[start] = 0
  const queue = [start]
  for (const at of queue) {
    for (const next of joined[at] ?? []) {
      if (steps[next] !== -1) continue
      steps[next] = (steps[at] ?? 0) + 1
      queue.push(next)
    }
  }
  return steps
}

/** Columns whose rows and columns have the mean 0: products of coordinates, from squared distances. */
function doublyCentered(columns: readonly (readonly number[])[]): number[][] {
  const rowMeans = (columns[0] ?? []).map((_, row) => meanOf(columns.map((column) => column[row] ?? 0)))
  const total = meanOf(rowMeans)
  return columns.map((column) => {
    const mean = meanOf(column)
    return column.map((value, row) => (mean + (rowMeans[row] ?? 0) - total - value) / 2)
  })
}

/** The direction of the largest variance by power iteration, at right angles to `except`. */
function mainDirection(columns: readonly number[][], except: readonly number[] | undefined): number[] {
  const products = columns.map((one) => columns.map((other) => dot(one, other)))
  let direction = columns.map((_, index) => 1 + wobble(index))
  for (let round = 0; round < 60; round += 1) {
    let next = products.map((row) => dot(row, direction))
    if (except) {
      const share = dot(next, except)
      next = next.map((value, index) => value - share * (except[index] ?? 0))
    }
    const length = Math.hypot(...next)
    if (length < 1e-12) break
    direction = next.map((value) => value / length)
  }
  return direction
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)
}

/** Springs of length 1 between neighbors, and repulsion within `APART`. */
function relax(points: Point[], joined: readonly number[][], rounds: number): void {
  for (let round = 0; round < rounds; round += 1) {
    const heat = 0.4 * (1 - round / rounds) + 0.02
    const moves = points.map(() => ({ x: 0, y: 0 }))
    for (const [index, others] of joined.entries()) {
      for (const other of others) if (other > index) pull(points, moves, [index, other], 1)
    }
    forClosePairs(points, APART, (pair, distance) =>
      pull(points, moves, pair, APART, (APART - distance) * 0.5),
    )
    for (const [index, move] of moves.entries()) {
      const length = Math.hypot(move.x, move.y)
      const factor = length > heat ? heat / length : 1
      const point = points[index] as Point
      point.x += move.x * factor
      point.y += move.y * factor
    }
  }
}

/** Moves a pair towards the wanted distance. */
function pull(
  points: readonly Point[],
  moves: Point[],
  [one, other]: readonly [number, number],
  wanted: number,
  strength = 0.5,
): void {
  const [from, to] = [points[one] as Point, points[other] as Point]
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  const distance = Math.max(1e-6, Math.hypot(dx, dy))
  const share = ((distance - wanted) / distance) * strength * 0.5
  const [first, second] = [moves[one] as Point, moves[other] as Point]
  first.x += dx * share
  first.y += dy * share
  second.x -= dx * share
  second.y -= dy * share
}

/** Pushes pairs apart that are too close, which also separates equal places. */
function separate(points: Point[]): void {
  for (let round = 0; round < 80; round += 1) {
    let isDone = true
    forClosePairs(points, SEPARATION, ([one, other], distance) => {
      isDone = false
      const [first, second] = [points[one] as Point, points[other] as Point]
      const angle = distance > 1e-9 ? Math.atan2(second.y - first.y, second.x - first.x) : one + other
      const push = (SEPARATION - distance) / 2 + 1e-3
      first.x -= Math.cos(angle) * push
      first.y -= Math.sin(angle) * push
      second.x += Math.cos(angle) * push
      second.y += Math.sin(angle) * push
    })
    if (isDone) return
  }
}

/** Calls `visit` for each pair closer than `range`, found through cells of that size. */
function forClosePairs(
  points: readonly Point[],
  range: number,
  visit: (pair: readonly [number, number], distance: number) => void,
): void {
  const cellOf = ({ x, y }: Point) => [Math.floor(x / range), Math.floor(y / range)] as const
  const keyOf = (column: number, row: number) => column * 100_003 + row
  const cells = Map.groupBy(points.keys(), (index) => keyOf(...cellOf(points[index] as Point)))
  for (const [index, point] of points.entries()) {
    const [column, row] = cellOf(point)
    const near = AROUND.flatMap(([right, down]) => cells.get(keyOf(column + right, row + down)) ?? [])
    for (const other of near) {
      if (other <= index) continue
      const there = points[other] as Point
      const distance = Math.hypot(there.x - point.x, there.y - point.y)
      if (distance < range) visit([index, other], distance)
    }
  }
}

/** A cell and those around it. */
const AROUND = Array.from({ length: 9 }, (_, at) => [(at % 3) - 1, Math.floor(at / 3) - 1] as const)

function spanOf(points: readonly Point[], axis: 'x' | 'y'): number {
  return Math.max(...points.map((point) => point[axis])) - minOf(points, axis)
}

function minOf(points: readonly Point[], axis: 'x' | 'y'): number {
  return Math.min(...points.map((point) => point[axis]))
}
