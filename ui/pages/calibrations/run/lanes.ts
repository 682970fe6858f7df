/** A routine of a plan with those that it follows. */
export interface PlanNode {
  routine: string
  dependsOn: readonly string[]
}

/** Where a routine stands in the graph. */
export interface Placed {
  lane: number
  /** Row of the parent to which it is connected: the last one before it. */
  parent: number | undefined
}

/**
 * Lanes of a plan, drawn like a commit graph: one row per routine in order, connected to its main parent
 * only. A connection runs down the lane of the child, which no other routine and no other connection uses on
 * these rows.
 */
export function placeInLanes(nodes: readonly PlanNode[]): Placed[] {
  const rows = new Map<string, number>()
  /** Rows in use, by lane: after `from` until `to`. */
  const used: { from: number; to: number }[][] = []
  const isFree = (lane: number, from: number, to: number) =>
    (used[lane] ?? []).every((span) => span.to <= from || span.from >= to)
  const take = (lane: number, from: number, to: number) => {
    const spans = used[lane] ?? []
    spans.push({ from, to })
    used[lane] = spans
  }
  const placed: Placed[] = []
  for (const [row, { routine, dependsOn }] of nodes.entries()) {
    const parents = dependsOn.map((name) => rows.get(name)).filter((parent) => parent !== undefined)
    const parent = parents.length > 0 ? Math.max(...parents) : undefined
    const from = parent ?? row - 1
    let lane = parent === undefined ? 0 : (placed[parent]?.lane ?? 0)
    while (!isFree(lane, from, row)) lane += 1
    take(lane, from, row)
    placed.push({ lane, parent })
    if (!rows.has(routine)) rows.set(routine, row)
  }
  return placed
}

/** Rows of all routines that a routine needs or that need it, and its own. */
export function relatedRows(nodes: readonly PlanNode[], row: number): Set<number> {
  const rowOf = new Map(nodes.map(({ routine }, at) => [routine, at]))
  const related = new Set([row])
  const collect = (from: number, next: (at: number) => readonly number[]) => {
    const open = [...next(from)]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (related.has(at)) continue
      related.add(at)
      open.push(...next(at))
    }
  }
  const parents = (at: number) =>
    (nodes[at]?.dependsOn ?? []).map((name) => rowOf.get(name)).filter((found) => found !== undefined)
  const children = (at: number) => {
    const name = nodes[at]?.routine ?? ''
    return nodes.flatMap(({ dependsOn }, child) => (dependsOn.includes(name) ? [child] : []))
  }
  collect(row, parents)
  collect(row, children)
  return related
}
