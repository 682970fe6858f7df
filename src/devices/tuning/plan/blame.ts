import { reachable } from './graph.ts'

/** `unknown`: the check could not decide, or the node has none. */
export type CheckState = 'in' | 'out' | 'unknown'

/** A node of the graph on one target, with the outcome of its check. */
export interface CheckedNode {
  readonly state: CheckState
  /** Keys of the nodes before it. */
  readonly parents: readonly string[]
}

/**
 * The nodes to measure again: those whose check is `out` and that have no ancestor whose check is `out`,
 * because such an ancestor explains the failure. A node in state `unknown` is never blamed and never clears:
 * the search goes on beyond it, as it does beyond one that is `in`. After Kelly et al., arXiv:1803.03226.
 *
 * In a cycle of nodes that are `out` each has the others as ancestors; all of them are blamed.
 */
export function blame(nodes: ReadonlyMap<string, CheckedNode>): Set<string> {
  const ancestorsOf = (key: string) => reachable([key], (each) => nodes.get(each)?.parents ?? [])
  const isOut = (key: string) => nodes.get(key)?.state === 'out'
  const out = [...nodes.keys()].filter(isOut)
  const blamed = out.filter((key) => {
    const causes = [...ancestorsOf(key)].filter((each) => each !== key && isOut(each))
    return causes.every((cause) => ancestorsOf(cause).has(key))
  })
  return new Set(blamed)
}
