import * as v from 'valibot'
import { nearest } from '../../../base/index.ts'
import { problemOfIssue } from '../files/problem-of-issue.ts'
import type { FileProblem } from '../files/yaml-text.ts'
import { ELEMENT_CLASSES, type ElementClass } from './element.ts'

/** A map of the file. */
export type Fields = Readonly<Record<string, unknown>>
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const elementType = v.looseObject({
  path: v.string('expected a path such as svc.elements.CalibratedTransmon'),
  args: v.optional(v.nullable(v.array(v.unknown(), 'expected a list')), []),
  kwargs: v.optional(v.nullable(v.record(v.string(), v.unknown(), 'expected names with values')), {}),
})

/** Packages with element classes of their own. */
const FOREIGN = /^(qpi_driver|quantify_scheduler|qblox_scheduler)\./

/** The type of an element, in today's form or in that of files of the newer scheduler. */
export interface ElementType {
  className: ElementClass
  /** Whether it is a class of other software, which refuses files with parameters unknown to it. */
  isForeign: boolean
  args: readonly unknown[]
  kwargs: Fields
}

/** Reads `element_type`; undefined when it has problems, which are added to `problems`. */
export function readElementType(
  name: string,
  body: Fields,
  problems: FileProblem[],
): ElementType | undefined {
  const given = body['element_type']
  const path = [name, 'element_type']
  if (given === undefined || given === null) {
    problems.push({ path, message: `missing; expected element_type: ${newForm('CalibratedTransmon', name)}` })
    return undefined
  }
  if (typeof given === 'string' && given.includes('.')) {
    problems.push({ path, message: `expected the form element_type: ${newForm(given, name)}` })
    return undefined
  }
  const parsed = v.safeParse(elementType, typeof given === 'string' ? { path: given } : given)
  if (!parsed.success) {
    for (const issue of parsed.issues) {
      const { path: below, message } = problemOfIssue(issue)
      const form = newForm('CalibratedTransmon', name)
      problems.push({ path: [...path, ...below], message: `${message}; expected the form ${form}` })
    }
    return undefined
  }
  const className = parsed.output.path.split('.').at(-1) ?? ''
  if (!isElementClass(className)) {
    const classes = Object.keys(ELEMENT_CLASSES)
    const guess = nearest(className, classes)
    problems.push({
      path: [...path, 'path'],
      message: `expected one of ${classes.join(', ')}, got ${className}${guess ? `; did you mean ${guess}?` : ''}`,
    })
    return undefined
  }
  const isForeign = FOREIGN.test(parsed.output.path)
  return { className, isForeign, args: parsed.output.args ?? [], kwargs: parsed.output.kwargs ?? {} }
}

function newForm(path: string, name: string): string {
  return `{path: ${path.includes('.') ? path : `svc.elements.${path}`}, args: [${name}], kwargs: {}}`
}

function isElementClass(name: string): name is ElementClass {
  return Object.hasOwn(ELEMENT_CLASSES, name)
}

/** A name that the element gives itself has to be its key. */
export function checkName(
  name: string,
  body: Fields,
  { className, args, kwargs }: ElementType,
  problems: FileProblem[],
): void {
  const isQubit = ELEMENT_CLASSES[className] === 'qubit'
  const names = [
    { path: ['element_type', 'args'], given: isQubit ? args[0] : undefined },
    { path: ['element_type', 'kwargs', 'name'], given: kwargs['name'] },
    { path: ['name'], given: body['name'] },
  ]
  for (const { path, given } of names) {
    if (given === undefined || given === null || given === name) continue
    problems.push({
      path: [name, ...path],
      message: `expected ${name}, the key of the element, got ${String(given)}`,
    })
  }
}

/** The names of the qubits of an edge. */
export function endsOf(
  name: string,
  body: Fields,
  { args, kwargs }: ElementType,
  problems: FileProblem[],
): { parent: string; child: string } | undefined {
  const [parent, child] = (['parent_element_name', 'child_element_name'] as const).map((key, at) => {
    const end = kwargs[key] ?? body[key] ?? args[at]
    if (typeof end === 'string') return end
    const path = [name, 'element_type', 'kwargs', key]
    problems.push({ path, message: 'expected the name of a qubit' })
    return undefined
  })
  if (parent === undefined || child === undefined) return undefined
  if (name === `${parent}_${child}`) return { parent, child }
  problems.push({ path: [name], message: `expected the key ${parent}_${child}, the names of its qubits` })
  return undefined
}
