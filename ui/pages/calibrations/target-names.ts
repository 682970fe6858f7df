import type { Description } from '../../api/model/qpus/chip.ts'
import { isEdge, sortTargets } from './reading/targets.ts'

/** Qubits and edges that a calibration may be restricted to. */
export interface TargetNames {
  qubits: readonly string[]
  edges: readonly string[]
}

/** The names of a description and those that earlier calibrations measured. */
export function targetNames(
  described: Pick<Description, 'qubits'> | null | undefined,
  values: readonly { element: string }[],
): TargetNames {
  const names = (described?.qubits ?? []).map(({ name }) => name).filter(Boolean)
  const all = sortTargets([...names, ...values.map(({ element }) => element)])
  return { qubits: all.filter((name) => !isEdge(name)), edges: all.filter(isEdge) }
}

const EMPTY: Description = { qubits: [], gates: [], simulator: false, calibrated_at: '', limits: {} }

/**
 * The description with all of these qubits and edges, so that a map shows them too: many tuners calibrate
 * chips whose devices describe no qubits.
 */
export function completeDescription(
  described: Description | null | undefined,
  { qubits, edges }: TargetNames,
): Description {
  const given = described ?? EMPTY
  const known = given.qubits.map(({ name }) => name)
  const names = [...new Set([...known, ...qubits, ...edges.flatMap((edge) => edge.split('_'))])]
  const indexOf = new Map(names.map((name, index) => [name, index]))
  const on = edges.map((edge) => ({
    qubits: edge.split('_').map((name) => indexOf.get(name) ?? 0),
    operational: true,
  }))
  const added = names.slice(known.length).map((name) => ({ name, operational: true }))
  return {
    ...given,
    qubits: [...given.qubits, ...added],
    gates: on.length > 0 ? [...given.gates, { name: '', virtual: true, on }] : given.gates,
  }
}

/** The name by which tuners know an element of a map: of an edge, the order of its qubits may differ. */
export function targetOf({ edges }: TargetNames, element: string): string {
  const turned = element.split('_').toReversed().join('_')
  return edges.includes(element) || !edges.includes(turned) ? element : turned
}

/** The elements of a map that the targets are. */
export function elementsOf(
  elements: readonly { name: string }[],
  names: TargetNames,
  targets: readonly string[],
): ReadonlySet<string> {
  return new Set(elements.map(({ name }) => name).filter((name) => targets.includes(targetOf(names, name))))
}

/** The names in a text, separated by commas or spaces. */
export function parseNames(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))]
}
