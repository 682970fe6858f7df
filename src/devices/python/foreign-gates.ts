import type { Program } from '../../qasm/index.ts'

type Statement = Program['statements'][number]

/** The statements inside of a statement. */
function bodiesOf(node: Statement): readonly (readonly Statement[] | undefined)[] {
  switch (node.kind) {
    case 'if':
      return [node.body, node.otherwise]
    case 'switch':
      return [...node.cases.map(({ body }) => body), node.otherwise]
    case 'box':
    case 'block':
    case 'for':
    case 'while':
    case 'def':
      return [node.body]
    default:
      return []
  }
}

/** The gates that a statement itself calls; one with modifiers is a gate of its own. */
function callsOf(node: Statement): readonly string[] {
  if (node.kind === 'packed') return node.calls.gates.map(({ name }) => name)
  if (node.kind !== 'gate_call') return []
  return [[...node.modifiers.map(({ kind }) => `${kind} @`), node.name].join(' ')]
}

/**
 * The first gate of a program that is not among the `described` ones. A gate that the program defines is
 * described if those of its definition are; `gphase` acts on no qubit. Undefined if all are described.
 */
export function foreignGate(
  { statements }: Pick<Program, 'statements'>,
  described: ReadonlySet<string>,
): string | undefined {
  const definitions = new Map<string, readonly Statement[] | undefined>()
  const seen = new Set<string>()
  const findIn = (name: string): string | undefined => {
    if (name === 'gphase' || described.has(name) || seen.has(name)) return undefined
    seen.add(name)
    const definition = definitions.get(name)
    return definition === undefined ? name : find(definition)
  }
  const findAt = (node: Statement): string | undefined =>
    first(callsOf(node), findIn) ?? first(bodiesOf(node), (body) => body && find(body))
  const find = (body: readonly Statement[]): string | undefined => {
    for (const node of body) if (node.kind === 'gate') definitions.set(node.name, node.body)
    return first(body, findAt)
  }
  return find(statements)
}

/** The first result of `find` that is not undefined. */
function first<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}
