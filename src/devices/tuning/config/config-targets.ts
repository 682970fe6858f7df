import type { Chip } from '../../chip/device-file.ts'
import type { Element } from '../../chip/elements/element.ts'
import type { ParallelConfig } from './calibration-config.ts'
import { type ConfigRemarks, guessOf } from './config-problems.ts'

/** The qubits and edges to calibrate. */
interface Targets {
  targetQubits: readonly string[]
  targetEdges: readonly string[]
}

/** The targets that a file names, or all; those that the chip does not have are noted and left out. */
export function targetsOf(
  given: { target_qubits?: readonly string[] | undefined; target_edges?: readonly string[] | undefined },
  chip: Chip,
  remarks: ConfigRemarks,
): Targets {
  const qubits = chip.qubits.map(({ name }) => name)
  const targetQubits = given.target_qubits
    ? known(given.target_qubits, 'target_qubits', qubits, remarks)
    : qubits
  const between = chip.edges.filter(({ parent, child }) =>
    [parent, child].every((end) => targetQubits.includes(end)),
  )
  if (!given.target_edges) return { targetQubits, targetEdges: between.map(({ name }) => name) }
  const edges = chip.edges.map(({ name }) => name)
  const targetEdges = known(given.target_edges, 'target_edges', edges, remarks)
  for (const { name, parent, child } of chip.edges) {
    if (!targetEdges.includes(name)) continue
    const missing = [parent, child].filter((end) => !targetQubits.includes(end))
    if (missing.length === 0) continue
    remarks.problems.push({
      path: ['target_edges', given.target_edges.indexOf(name)],
      message: `${name} would be measured through uncalibrated qubits; add ${missing.join(' and ')} to target_qubits`,
    })
  }
  return { targetQubits, targetEdges }
}

function known(
  names: readonly string[],
  key: string,
  all: readonly string[],
  { problems, notes }: ConfigRemarks,
): readonly string[] {
  const used = [...new Set(names)].filter((name) => all.includes(name))
  for (const name of names) {
    if (!all.includes(name))
      notes.push(`${key}: the chip has no ${name}${guessOf(name, all)}; it is left out`)
  }
  if (used.length === 0 && names.length > 0) {
    problems.push({ path: [key], message: `none of these is on the chip; it has ${all.join(', ')}` })
  }
  return used
}

/** The pinned parameters by target; `*` stands for all targets. */
export function pinnedOf(
  pin: Readonly<Record<string, readonly string[]>>,
  chip: Chip,
  { problems, notes }: ConfigRemarks,
): ReadonlyMap<string, readonly string[]> {
  const elements = [...chip.qubits, ...chip.edges]
  for (const [target, paths] of Object.entries(pin)) {
    const concerned = target === '*' ? elements : elements.filter(({ name }) => name === target)
    if (concerned.length === 0)
      notes.push(`pin: the chip has no ${target}${guessOf(target, namesOf(chip))}; it is left out`)
    for (const [index, path] of paths.entries()) {
      if (concerned.length === 0 || concerned.some((element) => hasPath(element, path))) continue
      problems.push({
        path: ['pin', target, index],
        message: `${target === '*' ? 'no element' : target} has no parameter ${path}`,
      })
    }
  }
  return new Map(Object.entries(pin))
}

/** Whether a path is a parameter of the element or a submodule with parameters. */
function hasPath(element: Element, path: string): boolean {
  return element.has(path) || element.paths.some((each) => each.startsWith(`${path}.`) && element.has(each))
}

/** Names in the groups have to be on the chip. */
export function checkGroups(
  { exclude, groups }: ParallelConfig,
  chip: Chip,
  { problems }: ConfigRemarks,
): void {
  const names = namesOf(chip)
  const lists = [
    ...exclude.map((list, index) => ({ path: ['parallel', 'exclude', index], list })),
    ...Object.entries(groups).map(([name, list]) => ({ path: ['parallel', 'groups', name], list })),
  ]
  for (const { path, list } of lists) {
    for (const [index, name] of list.entries()) {
      if (names.includes(name)) continue
      problems.push({ path: [...path, index], message: `the chip has no ${name}${guessOf(name, names)}` })
    }
  }
}

function namesOf({ qubits, edges }: Chip): string[] {
  return [...qubits, ...edges].map(({ name }) => name)
}
