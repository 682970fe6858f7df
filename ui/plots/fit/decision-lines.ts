type Pair = readonly [number, number]

/** A straight piece of the border between two states. */
interface Segment {
  from: Pair
  to: Pair
  between: readonly [number, number]
}

interface Box {
  left: number
  right: number
  bottom: number
  top: number
}

/**
 * Where the nearest centroid changes, inside a box: the border of two states is their perpendicular bisector,
 * as far as no third centroid is nearer.
 */
export function decisionLines(centroids: readonly Pair[], box: Box): Segment[] {
  const pairs = centroids.flatMap((_, one) => centroids.map((_, other) => [one, other] as const))
  return pairs.flatMap(([one, other]) => {
    const border = one < other ? borderOf(centroids, one, other, box) : undefined
    return border ? [border] : []
  })
}

function borderOf(centroids: readonly Pair[], one: number, other: number, box: Box): Segment | undefined {
  const [a, b] = [centroids[one], centroids[other]]
  if (!a || !b || (a[0] === b[0] && a[1] === b[1])) return undefined
  const middle: Pair = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
  const along: Pair = [a[1] - b[1], b[0] - a[0]]
  let span = clipToBox(middle, along, box)
  for (const [index, c] of centroids.entries())
    if (span && index !== one && index !== other) span = clipToNearer(middle, along, span, { a, c })
  if (!span) return undefined
  const point = (t: number): Pair => [middle[0] + t * along[0], middle[1] + t * along[1]]
  return { from: point(span[0]), to: point(span[1]), between: [one, other] }
}

/** The piece of a line inside a box, as a range of its parameter. */
function clipToBox(start: Pair, along: Pair, { left, right, bottom, top }: Box): Pair | undefined {
  const horizontal = clip(
    [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
    along[0],
    left - start[0],
    right - start[0],
  )
  return horizontal && clip(horizontal, along[1], bottom - start[1], top - start[1])
}

/** The part of a range of t where `low <= slope * t <= high`. */
function clip(range: Pair, slope: number, low: number, high: number): Pair | undefined {
  if (slope === 0) return low <= 0 && high >= 0 ? range : undefined
  const [first, last] = [low / slope, high / slope].sort((a, b) => a - b) as [number, number]
  const span: Pair = [Math.max(range[0], first), Math.min(range[1], last)]
  return span[0] < span[1] ? span : undefined
}

/** The part of a range where a point of the line is not nearer to `c` than to `a`. */
function clipToNearer(
  start: Pair,
  along: Pair,
  range: Pair,
  { a, c }: { a: Pair; c: Pair },
): Pair | undefined {
  // |p - a|² <= |p - c|² is linear in t: 2 (c - a)·p <= |c|² - |a|².
  const towards: Pair = [c[0] - a[0], c[1] - a[1]]
  const limit = (c[0] ** 2 + c[1] ** 2 - a[0] ** 2 - a[1] ** 2) / 2
  const offset = limit - (towards[0] * start[0] + towards[1] * start[1])
  return clip(range, towards[0] * along[0] + towards[1] * along[1], Number.NEGATIVE_INFINITY, offset)
}
