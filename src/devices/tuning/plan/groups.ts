import type { ParallelConfig } from '../config/calibration-config.ts'
import { type ChipElements, type EdgeElement, qubitsOf } from './chip-elements.ts'

/** What decides about groups: the distances of targets, or groups of the site's own. */
export type GroupRules = Pick<
  ParallelConfig,
  'enabled' | 'qubitSpacing' | 'edgeSpacing' | 'maxGroup' | 'exclude' | 'groups'
>

interface GroupInput {
  readonly chip: ChipElements
  readonly rules: GroupRules
  /** Whether two qubits can be read out at the same time; the default is yes. */
  readonly canReadTogether?: (one: string, other: string) => boolean
}

/**
 * Splits the targets of one routine into groups that are measured together: greedy coloring in the given
 * order, each target in the first group whose members are all far enough. Groups of the configuration come
 * first, as they are. When grouping is off, each target is a group.
 */
export function groupTargets(targets: readonly string[], input: GroupInput): string[][] {
  const { chip, rules } = input
  if (!rules.enabled) return targets.map((target) => [target])
  const distances = distancesOf(chip.edges)
  const named = Object.values(rules.groups).map((names) => targets.filter((target) => names.includes(target)))
  const groups: string[][] = []
  for (const target of targets.filter((each) => !named.some((names) => names.includes(each)))) {
    const group = groups.find(
      (members) =>
        members.length < rules.maxGroup &&
        members.every((member) => mayShare(member, target, input, distances)),
    )
    if (group) group.push(target)
    else groups.push([target])
  }
  return [...named.filter((names) => names.length > 0), ...groups]
}

type Distances = (one: string, other: string) => number

function mayShare(
  one: string,
  other: string,
  { chip, rules, canReadTogether = () => true }: GroupInput,
  distance: Distances,
): boolean {
  if (rules.exclude.some((names) => names.includes(one) && names.includes(other))) return false
  const pairs = qubitsOf(one, chip.edges).flatMap((a) =>
    qubitsOf(other, chip.edges).map((b) => [a, b] as const),
  )
  const isEdge = chip.edges.some(({ name }) => name === one)
  const least = isEdge ? rules.edgeSpacing + 1 : rules.qubitSpacing
  return pairs.every(([a, b]) => distance(a, b) >= least && canReadTogether(a, b))
}

/** Number of couplers between two qubits; infinite when nothing connects them. */
function distancesOf(edges: readonly EdgeElement[]): Distances {
  const neighbors = new Map<string, string[]>()
  for (const { parent, child } of edges) {
    neighbors.set(parent, [...(neighbors.get(parent) ?? []), child])
    neighbors.set(child, [...(neighbors.get(child) ?? []), parent])
  }
  const fromEach = new Map<string, Map<string, number>>()
  return (one, other) => {
    const known = fromEach.get(one) ?? distancesFrom(one, neighbors)
    fromEach.set(one, known)
    return known.get(other) ?? Number.POSITIVE_INFINITY
  }
}

function distancesFrom(
  start: string,
  neighbors: ReadonlyMap<string, readonly string[]>,
): Map<string, number> {
  const found = new Map([[start, 0]])
  for (const [qubit, distance] of found) {
    for (const next of neighbors.get(qubit) ?? []) {
      if (!found.has(next)) found.set(next, distance + 1)
    }
  }
  return found
}
