/** A node of the calibration graph. */
export interface GraphNode {
  readonly name: string
  /** Names of the nodes that come before it. */
  readonly dependsOn: readonly string[]
}

/**
 * The nodes in an order in which each comes after all that it depends on (Kahn's algorithm). Of several nodes
 * that could be next, the one listed first is taken.
 * @throws TypeError for two nodes of one name, an unknown dependency or a cycle, which it names.
 */
export function orderGraph<Node extends GraphNode>(nodes: readonly Node[]): Node[] {
  assertKnown(nodes)
  const pending = [...nodes]
  const done = new Set<string>()
  const ordered: Node[] = []
  while (pending.length > 0) {
    const at = pending.findIndex(({ dependsOn }) => dependsOn.every((name) => done.has(name)))
    const [next] = at < 0 ? [] : pending.splice(at, 1)
    if (!next) throw new TypeError(`the routines depend on each other: ${findCycle(pending).join(' -> ')}`)
    done.add(next.name)
    ordered.push(next)
  }
  return ordered
}

function assertKnown(nodes: readonly GraphNode[]): void {
  const names = new Set<string>()
  for (const { name } of nodes) {
    if (names.has(name)) throw new TypeError(`two routines have the name ${name}`)
    names.add(name)
  }
  for (const { name, dependsOn } of nodes) {
    const unknown = dependsOn.find((each) => !names.has(each))
    if (unknown !== undefined) throw new TypeError(`${name} depends on an unknown routine: ${unknown}`)
  }
}

/** One cycle among nodes each of which depends on another of them, first and last name equal. */
function findCycle(nodes: readonly GraphNode[]): string[] {
  const byName = new Map(nodes.map((node) => [node.name, node]))
  const path: string[] = []
  let at = nodes[0]
  while (at) {
    const seen = path.indexOf(at.name)
    if (seen >= 0) return [...path.slice(seen), at.name]
    path.push(at.name)
    at = at.dependsOn.map((name) => byName.get(name)).find((node) => node !== undefined)
  }
  return path
}

/**
 * The parents of a node in a graph from which some nodes are left out: the parents of such a node take its
 * place. Safe for graphs with cycles.
 */
export function parentsThrough(
  name: string,
  parentsOf: (name: string) => readonly string[],
  isPresent: (name: string) => boolean,
): string[] {
  const found = new Set<string>()
  const visited = new Set<string>([name])
  const pending = [...parentsOf(name)]
  for (let parent = pending.shift(); parent !== undefined; parent = pending.shift()) {
    if (visited.has(parent)) continue
    visited.add(parent)
    if (isPresent(parent)) found.add(parent)
    else pending.push(...parentsOf(parent))
  }
  return [...found]
}

/** All nodes that `next` leads to from the given ones, which are not included unless a cycle leads back. */
export function reachable(from: Iterable<string>, next: (name: string) => Iterable<string>): Set<string> {
  const found = new Set<string>()
  const pending = [...from]
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    for (const other of next(name)) {
      if (found.has(other)) continue
      found.add(other)
      pending.push(other)
    }
  }
  return found
}
