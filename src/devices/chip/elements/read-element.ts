import * as v from 'valibot'
import { problemOfIssue } from '../files/problem-of-issue.ts'
import type { FileProblem } from '../files/yaml-text.ts'
import { EDGE_ALIASES, EDGE_PARAMETERS } from './edge-parameters.ts'
import { ELEMENT_CLASSES, type Element, type ElementContent, edgeOf, qubitOf } from './element.ts'
import {
  checkName,
  type ElementType,
  endsOf,
  type Fields,
  isFields,
  readElementType,
} from './element-type.ts'
import type { ParameterTable } from './parameter.ts'
import { CALIBRATED_SUBMODULES, QUBIT_ALIASES, QUBIT_PARAMETERS } from './qubit-parameters.ts'

/** What is to be said about the elements that were read. */
export interface ElementRemarks {
  problems: FileProblem[]
  /** Dotted paths of names that nothing uses. */
  unrecognized: string[]
}

/** Keys of an element and of its `kwargs` that name it rather than hold parameters. */
const NAMES = new Set(['element_type', 'name', 'parent_element_name', 'child_element_name'])

/** Names of elements are parts of the names of ports and clocks, which other characters divide. */
const ELEMENT_NAME = /^[A-Za-z]\w{0,99}$/

/** Reads the body of an element; undefined when it has problems, which are added to the remarks. */
export function readElement(name: string, body: unknown, remarks: ElementRemarks): Element | undefined {
  const { problems } = remarks
  const before = problems.length
  if (!isFields(body)) {
    problems.push({ path: [name], message: 'expected an element with element_type' })
    return undefined
  }
  if (!ELEMENT_NAME.test(name)) {
    problems.push({
      path: [name],
      message: 'expected a name that begins with a letter, of letters, digits and _',
    })
  }
  const type = readElementType(name, body, problems)
  if (!type) return undefined
  checkName(name, body, type, problems)
  if (ELEMENT_CLASSES[type.className] === 'qubit') {
    const reading = newReading(name, type, QUBIT_PARAMETERS, QUBIT_ALIASES, remarks)
    readSubmodules(reading, type, body)
    checkDerivative(reading)
    return problems.length > before ? undefined : qubitOf(reading)
  }
  const ends = endsOf(name, body, type, problems)
  if (!ends) return undefined
  const reading = newReading(name, type, EDGE_PARAMETERS, aliasesOf(ends), remarks)
  readSubmodules(reading, type, body)
  return problems.length > before ? undefined : edgeOf(reading, ends)
}

function aliasesOf({ parent, child }: { parent: string; child: string }): Record<string, string> {
  const aliases = Object.entries(EDGE_ALIASES)
  return Object.fromEntries(
    aliases.map(([alias, path]) => [alias.replace('{parent}', parent).replace('{child}', child), path]),
  )
}

/** An element while it is read. */
interface Reading extends ElementContent {
  values: Map<string, unknown>
  keys: Map<string, readonly string[]>
  submodules: Map<string, readonly string[]>
  table: ParameterTable
  aliases: Readonly<Record<string, string>>
  remarks: ElementRemarks
}

function newReading(
  name: string,
  { className, isForeign }: ElementType,
  table: ParameterTable,
  aliases: Readonly<Record<string, string>>,
  remarks: ElementRemarks,
): Reading {
  const content = { values: new Map(), keys: new Map(), submodules: new Map() }
  return { name, className, isForeign, ...content, table, aliases, remarks }
}

/** Reads the submodules of `kwargs` and then those of the body, which win. */
function readSubmodules(reading: Reading, { kwargs }: ElementType, body: Fields): void {
  const { name, remarks } = reading
  const given = [
    ...Object.entries(kwargs).map(([submodule, values]) => ({
      submodule,
      values,
      keys: ['element_type', 'kwargs', submodule],
    })),
    ...Object.entries(body).map(([submodule, values]) => ({ submodule, values, keys: [submodule] })),
  ]
  for (const { submodule, values, keys } of given) {
    if (NAMES.has(submodule)) continue
    if (!isSubmodule(reading, submodule)) remarks.unrecognized.push([name, ...keys].join('.'))
    else if (isFields(values)) readSubmodule(reading, keys, values)
    else if (values !== null) {
      remarks.problems.push({ path: [name, ...keys], message: 'expected names with values' })
    }
  }
}

function readSubmodule(reading: Reading, keys: string[], values: Fields): void {
  const { name, table, aliases, remarks } = reading
  const submodule = keys.at(-1) ?? ''
  reading.submodules.set(submodule, keys)
  const seen = new Map<string, string>()
  for (const [key, value] of Object.entries(values)) {
    const path = aliases[`${submodule}.${key}`] ?? `${submodule}.${key}`
    const place = [name, ...keys, key]
    const other = seen.get(path)
    if (!Object.hasOwn(table, path)) remarks.unrecognized.push(place.join('.'))
    else if (other !== undefined) {
      remarks.problems.push({ path: place, message: `the same parameter as ${other}; remove one of them` })
    } else {
      seen.set(path, key)
      reading.keys.set(path, [...keys, key])
      readValue(reading, path, value)
    }
  }
}

/** Reads the value of a known parameter; `.nan` stands for none, and an empty value for no word about it. */
function readValue({ name, table, values, keys, remarks }: Reading, path: string, value: unknown): void {
  const schema = table[path]?.schema
  if (!schema || value === null) return
  if (Number.isNaN(value)) {
    values.delete(path)
    return
  }
  const parsed = v.safeParse(schema, value, { abortEarly: true })
  if (parsed.success) values.set(path, parsed.output)
  else {
    const { path: below, message } = problemOfIssue(parsed.issues[0])
    remarks.problems.push({ path: [name, ...(keys.get(path) ?? []), ...below], message })
  }
}

/** Whether elements of the class have a submodule with this name or alias. */
function isSubmodule({ className, table, aliases }: Reading, submodule: string): boolean {
  const paths = [...Object.keys(table).map((path) => [path, path]), ...Object.entries(aliases)].flatMap(
    ([alias = '', path = '']) => (alias.startsWith(`${submodule}.`) ? [path] : []),
  )
  const isBasic = className === 'BasicTransmonElement'
  return paths.some((path) => !(isBasic && CALIBRATED_SUBMODULES.has(path.split('.')[0] ?? '')))
}

/** A pulse has its derivative as a number or in seconds. */
function checkDerivative({ name, keys, remarks }: Reading): void {
  const beta = keys.get('rxy.beta')
  if (!(beta && keys.has('rxy.motzoi'))) return
  remarks.problems.push({
    path: [name, ...beta],
    message: 'beta is motzoi in seconds (motzoi · duration / 8); remove one of them',
  })
}
