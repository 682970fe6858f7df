import { forceLayout } from './force-layout.ts'
import type { Point } from './point.ts'

/** Places of the qubits of a chip. No two are closer than 1. */
interface ChipLayout {
  /** By index of the qubit; all coordinates are 0 or more. */
  points: Point[]
  width: number
  height: number
  /** How it was found. */
  kind: 'given' | 'grid' | 'drawn'
}

interface ChipShape {
  qubits: number
  /** Pairs of indices. */
  couplers: readonly (readonly [number, number])[]
  /** Places that the device gives, in any unit; undefined for a qubit without one. */
  places?: readonly (Point | undefined)[]
}

/** Given places are not used if the closest pair is this much closer than the size of the chip. */
const MAX_SPAN = 200
/** A chain longer than this is folded into rows. */
const MAX_CHAIN = 10

/** Places the qubits of a chip: as its device says, else on a grid that fits the couplers, else by forces. */
export function layOut({ qubits, couplers, places }: ChipShape): ChipLayout {
  if (qubits === 0) return { points: [], width: 0, height: 0, kind: 'grid' }
  const given = places && givenLayout(qubits, places)
  if (given) return normalize(given, 'given')
  const grid = gridLayout(qubits, couplers)
  if (grid) return normalize(grid, 'grid')
  return normalize(forceLayout(qubits, couplers), 'drawn')
}

function givenLayout(qubits: number, places: readonly (Point | undefined)[]): Point[] | undefined {
  const points = places.slice(0, qubits).filter((place) => place !== undefined)
  if (points.length < qubits) return undefined
  const span = Math.max(spread(points.map(({ x }) => x)), spread(points.map(({ y }) => y)))
  const closest = minDistance(points)
  const isUsable = Number.isFinite(span) && closest > 0 && (qubits === 1 || span / closest <= MAX_SPAN)
  return isUsable ? points : undefined
}

/** Rows of equal length, if each coupler joins neighbors in them; a chain is folded. */
function gridLayout(qubits: number, couplers: ChipShape['couplers']): Point[] | undefined {
  const steps = new Set(couplers.map(([one, other]) => Math.abs(one - other)))
  if (couplers.length === 0) return rows(qubits, Math.ceil(Math.sqrt(qubits)))
  if (steps.size === 1 && steps.has(1)) return chain(qubits)
  const columns = Math.max(...steps)
  if (columns < 2 || [...steps].some((step) => step !== 1 && step !== columns)) return undefined
  const crossesRow = couplers.some(([one, other]) => {
    const [first, second] = [Math.min(one, other), Math.max(one, other)]
    return second - first === 1 && second % columns === 0
  })
  return crossesRow ? undefined : rows(qubits, columns)
}

function rows(qubits: number, columns: number): Point[] {
  return Array.from({ length: qubits }, (_, index) => ({
    x: index % columns,
    y: Math.floor(index / columns),
  }))
}

/** Every second row runs backwards, so that neighbors stay neighbors. */
function chain(qubits: number): Point[] {
  const columns = qubits <= MAX_CHAIN ? qubits : Math.ceil(Math.sqrt(qubits * 1.5))
  return rows(qubits, columns).map(({ x, y }) => ({ x: y % 2 === 0 ? x : columns - 1 - x, y }))
}

/** Scales so that the closest pair has the distance 1, and moves the corner to the origin. */
function normalize(points: readonly Point[], kind: ChipLayout['kind']): ChipLayout {
  const closest = points.length > 1 ? minDistance(points) : 1
  const left = Math.min(...points.map(({ x }) => x))
  const top = Math.min(...points.map(({ y }) => y))
  const placed = points.map(({ x, y }) => ({ x: (x - left) / closest, y: (y - top) / closest }))
  return {
    points: placed,
    width: Math.max(...placed.map(({ x }) => x)),
    height: Math.max(...placed.map(({ y }) => y)),
    kind,
  }
}

function spread(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values)
}

/** The distance of the closest two points; only points that are near by their x are compared. */
export function minDistance(points: readonly Point[]): number {
  const sorted = points.toSorted((one, other) => one.x - other.x)
  let closest = Number.POSITIVE_INFINITY
  for (const [index, one] of sorted.entries()) {
    for (let next = index + 1; next < sorted.length; next += 1) {
      const other = sorted[next] as Point
      if (other.x - one.x >= closest) break
      closest = Math.min(closest, Math.hypot(other.x - one.x, other.y - one.y))
    }
  }
  return closest
}

/** The nearest qubit in a direction, for arrow keys; the same one if there is none. */
export function neighborInDirection(points: readonly Point[], from: number, direction: Point): number {
  const start = points[from]
  if (!start) return from
  let best = from
  let bestCost = Number.POSITIVE_INFINITY
  for (const [index, { x, y }] of points.entries()) {
    const ahead = (x - start.x) * direction.x + (y - start.y) * direction.y
    const aside = Math.abs((x - start.x) * direction.y - (y - start.y) * direction.x)
    // Within 45 degrees first; a point further aside only if nothing else lies ahead.
    if (index === from || ahead < 1e-6) continue
    const cost = ahead + 2 * aside + (aside > ahead + 1e-6 ? 1_000 : 0)
    if (cost < bestCost) [best, bestCost] = [index, cost]
  }
  return best
}
