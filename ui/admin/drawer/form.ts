import { type Collection, type Field, isList, type Row } from '../collections/model.ts'
import { fromControl, toControl } from './dates.ts'

/** The control of a field. */
export type Control =
  | 'fixed'
  | 'text'
  | 'lines'
  | 'number'
  | 'bool'
  | 'date'
  | 'choice'
  | 'choices'
  | 'json'
  | 'relation'
  | 'relations'
  | 'password'

/** What a control holds. */
export type Input = string | boolean | readonly string[]

/** The controls that were touched, by field. */
export type Draft = Readonly<Record<string, Input>>

/** Texts up to this length fit on a line. */
const LINE = 255

/** Which control a field has; `fixed` for what cannot be edited. */
export function controlOf(field: Field, isNew: boolean): Control {
  if (field.type === 'autodate' || field.readOnly) return 'fixed'
  if (isNew ? field.fixedOnCreate : field.fixedOnUpdate) return 'fixed'
  if (field.name === 'id') return isNew ? 'text' : 'fixed'
  return kindOf(field)
}

/** The control for values of the kind, where the field can be set. */
function kindOf(field: Field): Control {
  switch (field.type) {
    case 'number':
    case 'bool':
    case 'date':
    case 'json':
    case 'password':
      return field.type
    case 'select':
      return isList(field) ? 'choices' : 'choice'
    case 'relation':
      return isList(field) ? 'relations' : 'relation'
    case 'text':
      return (field.max ?? 0) === 0 || (field.max ?? 0) > LINE ? 'lines' : 'text'
    default:
      return 'text'
  }
}

/** Whether a record can be created with a form: whether it has a field that can be set. */
export function hasForm({ fields }: Collection): boolean {
  return fields.some((field) => field.name !== 'id' && controlOf(field, true) !== 'fixed')
}

/** The content of a control for a stored value. */
export function toInput(field: Field, value: unknown, zone: string): Input {
  switch (kindOf(field)) {
    case 'bool':
      return value === true
    case 'choices':
    case 'relations':
      return Array.isArray(value) ? value.map(String) : []
    case 'json':
      return value === null || value === undefined ? '' : JSON.stringify(value, null, 2)
    case 'date':
      return toControl(String(value ?? ''), zone)
    default:
      return value === null || value === undefined ? '' : String(value)
  }
}

/** The value of a control, or why it has none. */
type Parsed = { value: unknown } | { problem: string }

/** Reads a control. The server checks the value; only what has no value at all is refused here. */
export function fromInput(field: Field, input: Input, zone: string): Parsed {
  const text = typeof input === 'string' ? input : ''
  switch (kindOf(field)) {
    case 'number':
      return readNumber(field, text)
    case 'date': {
      const stored = fromControl(text, zone)
      return stored === undefined
        ? { problem: 'This is not a time such as 2026-01-31 09:05.' }
        : { value: stored }
    }
    case 'json':
      return readJson(text)
    default:
      return { value: input }
  }
}

function readNumber({ onlyInt }: Field, text: string): Parsed {
  const value = Number(text)
  if (text.trim() === '') return { value: 0 }
  if (!Number.isFinite(value)) return { problem: 'This is not a number.' }
  return onlyInt && !Number.isInteger(value) ? { problem: 'Only whole numbers fit here.' } : { value }
}

function readJson(text: string): Parsed {
  if (text.trim() === '') return { value: null }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    // Browsers name the place in words of their own; Safari names none.
    const [, line, column] = /line (\d+) column (\d+)/.exec(String(error)) ?? []
    return { problem: `This is not JSON${line ? `: see line ${line}, column ${column}` : ''}.` }
  }
}

/** A field with another value than the stored one. */
export interface Change {
  field: Field
  before: unknown
  after: Parsed
}

/** The fields whose controls differ from the record. */
export function changesOf(
  collection: Collection,
  row: Row | undefined,
  draft: Draft,
  zone: string,
): Change[] {
  return collection.fields.flatMap((field) => {
    const input = draft[field.name]
    if (input === undefined || controlOf(field, row === undefined) === 'fixed') return []
    const before = row?.[field.name]
    const after = fromInput(field, input, zone)
    const isEmptyPassword = field.type === 'password' && input === ''
    if (isEmptyPassword || ('value' in after && sameValue(field, before, after.value))) return []
    return [{ field, before, after }]
  })
}

/** Whether two values are the same to the server, for which absent and empty values are. */
function sameValue(field: Field, before: unknown, after: unknown): boolean {
  return canonical(field, before) === canonical(field, after)
}

function canonical(field: Field, value: unknown): string {
  if (field.type === 'json') return JSON.stringify(sorted(value ?? null))
  if (field.type === 'number') return String(value ?? 0)
  if (field.type === 'bool') return String(value ?? false)
  if (Array.isArray(value)) return JSON.stringify(value)
  if (isList(field)) return '[]'
  return String(value ?? '')
}

/** The same JSON with the keys of objects in alphabetic order, which carries no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return entries.map(([key, each]) => [key, sorted(each)])
}

/** The body of a request that makes the changes. */
export function bodyOf(changes: readonly Change[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const { field, after } of changes) {
    if (!('value' in after)) continue
    body[field.name] = after.value
    if (field.type === 'password') body['passwordConfirm'] = after.value
  }
  return body
}

/** The first field that cannot be saved, and why; in the order of the form. */
export function firstProblem(changes: readonly Change[]): { field: string; problem: string } | undefined {
  for (const { field, after } of changes) {
    if ('problem' in after) return { field: field.name, problem: after.problem }
  }
  return undefined
}

/** The kind of a field and what is special about it, in few words. */
export function describeField(field: Field, target: string | undefined, isNew: boolean): string {
  const kinds: Partial<Record<string, string>> = {
    bool: 'yes or no',
    json: 'JSON',
    autodate: 'date',
    email: 'e-mail',
  }
  const kind =
    field.type === 'relation'
      ? `${isList(field) ? 'relations' : 'relation'} to ${target ?? 'a collection'}`
      : field.type === 'select'
        ? isList(field)
          ? 'choices'
          : 'choice'
        : (kinds[field.type] ?? field.type)
  if (field.name === 'id' && isNew) return 'text, chosen by the server if empty'
  if (controlOf(field, isNew) === 'fixed') return `${kind}, set by the server`
  return field.required && field.type !== 'bool' ? `${kind}, required` : kind
}
