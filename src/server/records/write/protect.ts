import { AppError, type FieldError } from '../../../base/index.ts'
import { type AnyCollection, type Field, initialValue } from '../../../db/index.ts'
import type { AnyRecord, Behaviour, Values } from '../behaviour.ts'

/** What of a body may be written, and what may not. */
export interface SortedBody {
  /** Normalised values of declared fields. */
  readonly values: Values
  /** Fields that the caller cannot set to what was sent. */
  readonly refused: Readonly<Record<string, FieldError>>
  /** The body without what is protected, for rules. */
  readonly body: Values
}

interface Options {
  readonly behaviour: Behaviour
  readonly isSuperuser: boolean
  /** The record to be changed; undefined when one is created. */
  readonly before: AnyRecord | undefined
}

/**
 * Sorts a body (modifiers applied) by what its caller may set. A protected field that is sent as it is, or as
 * nobody has set it, changes nothing and is left out; any other value of it is refused. Keys that are no field
 * mean nothing.
 */
export function sortBody(collection: AnyCollection, sent: Values, options: Options): SortedBody {
  const { before } = options
  const values: Values = {}
  const refused: Record<string, FieldError> = {}
  const body: Values = {}
  for (const [name, value] of Object.entries(sent)) {
    const field = Object.hasOwn(collection.fields, name) ? collection.fields[name] : undefined
    if (!field || isPassword(collection, name)) body[name] = value
    else if (!isProtected(name, field, options)) {
      values[name] = field.kind.normalize(value)
      body[name] = value
    } else if (!changesNothing(name, field, value, before)) refused[name] = readOnly(name)
  }
  sortId(sent['id'], before, values, refused)
  return { values, refused, body }
}

/** Stored under this name is a hash, which `prepareCredentials` makes of what was sent. */
function isPassword(collection: AnyCollection, name: string): boolean {
  return collection.type === 'auth' && name === 'password'
}

/** An id may be chosen when a record is created, and never changes. */
function sortId(
  id: unknown,
  before: AnyRecord | undefined,
  values: Values,
  refused: Record<string, FieldError>,
): void {
  if (id === undefined || id === null || id === '' || id === before?.id) return
  if (before) refused['id'] = PK_CHANGE
  // What is no text becomes one that is no id, which the insert refuses.
  else values['id'] = typeof id === 'string' ? id : JSON.stringify(id)
}

const PK_CHANGE: FieldError = {
  code: 'validation_pk_change',
  message: 'The record primary key cannot be changed.',
}

function readOnly(name: string): FieldError {
  return { code: 'read_only_field', message: `${name} cannot be set here; leave it out.` }
}

/** @throws AppError `invalid` (`read_only_field`) when something was refused. */
export function assertNothingRefused({ refused }: SortedBody, message: string): void {
  if (Object.keys(refused).length === 0) return
  throw new AppError('invalid', message, { reason: 'read_only_field', fields: { ...refused } })
}

function isProtected(name: string, field: Field, { behaviour, isSuperuser, before }: Options): boolean {
  const fixed = before ? behaviour.fixed?.update : behaviour.fixed?.create
  if (field.readOnly || field.internal || fixed?.includes(name)) return true
  if (isSuperuser) return false
  const isOwner = before !== undefined && behaviour.owner === name
  return field.hidden === true || isOwner || behaviour.superuserOnly?.includes(name) === true
}

function changesNothing(name: string, field: Field, sent: unknown, before: AnyRecord | undefined): boolean {
  const value = field.kind.normalize(sent)
  const same = (other: unknown) => Bun.deepEquals(value, field.kind.normalize(other))
  // Of what the caller cannot see nothing is compared: the answer would tell what is stored.
  if (field.internal || field.hidden) return same(null)
  return before ? same(before[name]) : same(null) || same(initialValue(field))
}
