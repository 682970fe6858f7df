import type { Routine } from '../routine.ts'
import { routineNamed } from '../routine-names.ts'
import type { ChipElements } from './chip-elements.ts'
import { parentsThrough } from './graph.ts'

/** A routine on one target. */
export interface Instance {
  readonly routine: Routine
  readonly target: string
}

/** Why a routine is left out on a target. */
export interface SkippedNode {
  readonly routine: string
  readonly target: string
  readonly reason: 'declined' | 'blocked' | 'disabled' | 'not_planned'
  readonly detail: string
}

/** Identifies a routine on one target. */
export function keyOf(routine: string, target: string): string {
  return `${routine} ${target}`
}

/** The routines on their targets, and what is left out from the start. */
export interface Instances {
  /** By key, in the order of a run. */
  readonly byKey: ReadonlyMap<string, Instance>
  /** Keys of the nodes before each node; nodes that are left out are passed through. */
  parentsOf(key: string): readonly string[]
  childrenOf(key: string): readonly string[]
  readonly skipped: readonly SkippedNode[]
}

interface InstanceInput {
  /** All routines, in the order of a run. */
  readonly routines: readonly Routine[]
  readonly chip: ChipElements
  /** Qubits and edges to consider. */
  readonly qubits: readonly string[]
  readonly edges: readonly string[]
  isEnabled(routine: string): boolean
  /** Whether a person asks for the routines by name: also for a result that has no place in an element. */
  isNamed?: boolean
}

/**
 * Applies the routines to the targets. A disabled routine is left out, and a target declines a routine that
 * needs a submodule which the element lacks, and one whose result has no place in it; all of them are passed
 * through: their parents become the parents of their children.
 */
export function instancesOf({
  routines,
  chip,
  qubits,
  edges,
  isEnabled,
  isNamed = false,
}: InstanceInput): Instances {
  const byKey = new Map<string, Instance>()
  const skipped: SkippedNode[] = []
  for (const routine of routines) {
    for (const target of routine.kind === 'edge' ? edges : qubits) {
      const left = isEnabled(routine.name) ? declinedOf(routine, target, chip, isNamed) : DISABLED
      if (left) skipped.push({ routine: routine.name, target, ...left })
      else byKey.set(keyOf(routine.name, target), { routine, target })
    }
  }
  const parents = linksBetween(routines, chip, byKey)
  const children = invert(parents)
  return {
    byKey,
    skipped,
    parentsOf: (key) => parents.get(key) ?? [],
    childrenOf: (key) => children.get(key) ?? [],
  }
}

/** The keys that lead to each key. */
function invert(links: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const inverted = new Map<string, string[]>()
  for (const [key, others] of links) {
    for (const other of others) inverted.set(other, [...(inverted.get(other) ?? []), key])
  }
  return inverted
}

const DISABLED = { reason: 'disabled', detail: '' } as const

/** Why a target declines a routine; undefined when it has all that the routine needs. */
function declinedOf(routine: Routine, target: string, chip: ChipElements, isNamed: boolean) {
  const missing = missingFor(routine, target, chip, isNamed)
  return missing === undefined ? undefined : ({ reason: 'declined', detail: `needs ${missing}` } as const)
}

/**
 * What an element lacks for a routine: what that needs, or a place for its result, unless the routine is
 * named in the request, or in `calibration.yml` as one of the lab's own.
 */
export function missingFor(
  { name, needs, writes, optionalWrites }: Routine,
  target: string,
  chip: ChipElements,
  isNamed = false,
): string | undefined {
  const missing = needs.find((path) => !chip.has(target, path))
  const isOwn = routineNamed(name) === undefined
  if (missing !== undefined || isNamed || isOwn || writes.length > 0) return missing
  return optionalWrites.some((path) => chip.has(target, path)) ? undefined : optionalWrites[0]
}

/** The keys of the nodes before each node. */
function linksBetween(
  routines: readonly Routine[],
  chip: ChipElements,
  byKey: ReadonlyMap<string, Instance>,
): Map<string, string[]> {
  const byName = new Map(routines.map((routine) => [routine.name, routine]))
  const ends = new Map(chip.edges.map(({ name, parent, child }) => [name, [parent, child]]))
  /** All nodes before a node, also those that are left out. */
  const allParentsOf = (key: string): string[] => {
    const [name = '', target = ''] = key.split(' ')
    const routine = byName.get(name)
    return (routine?.dependsOn ?? []).flatMap((above) => {
      const isOfQubits = routine?.kind === 'edge' && byName.get(above)?.kind !== 'edge'
      return (isOfQubits ? (ends.get(target) ?? []) : [target]).map((each) => keyOf(above, each))
    })
  }
  const isPresent = (key: string) => byKey.has(key)
  return new Map([...byKey.keys()].map((key) => [key, parentsThrough(key, allParentsOf, isPresent)]))
}
