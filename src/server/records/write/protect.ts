import { AppError, type FieldError } from '../../../base/index.ts'
import { type AnyCollection, type Field, initialValue } from '../../../db/index.ts'
import { writtenTextError } from '../../http/request/written-texts.ts'
import type { AnyRecord, Behavior, Values } from '../behavior.ts'

/** A body divided into values to write and refused fields. */
export interface SortedBody {
  /** Normalized values of declared fields. */
  readonly values: Values
  /** Fields that the caller may not set to the sent value. */
  readonly refused: Readonly<Record<string, FieldError>>
  /** The body without protected fields, for rules. */
  readonly body: Values
}

interface Options {
  readonly behavior: Behavior
  readonly isSuperuser: boolean
  /** The record to change; undefined for a new record. */
  readonly before: AnyRecord | undefined
}

/**
 * Divides a body, with modifiers applied, into what its caller may and may not set. A protected field that is
 * sent with its current or initial value is omitted; any other value is refused. Unknown keys are ignored.
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
    } else if (!changesNothing(name, field, value, options)) refused[name] = readOnly(name)
  }
  sortId(sent['id'], before, values, refused)
  return { values, refused, body }
}

/** Whether the field stores a password hash, which `prepareCredentials` computes from the sent password. */
function isPassword(collection: AnyCollection, name: string): boolean {
  return collection.type === 'auth' && name === 'password'
}

/** The id can be set for a new record and never changes. */
function sortId(
  id: unknown,
  before: AnyRecord | undefined,
  values: Values,
  refused: Record<string, FieldError>,
): void {
  if (id === undefined || id === null || id === '' || id === before?.id) return
  if (before) refused['id'] = PK_CHANGE
  // Other values become a text that is not a valid id, which the insert refuses.
  else values['id'] = typeof id === 'string' ? id : JSON.stringify(id)
}

const PK_CHANGE: FieldError = {
  code: 'validation_pk_change',
  message: 'The record primary key cannot be changed.',
}

function readOnly(name: string): FieldError {
  return { code: 'read_only_field', message: `${name} cannot be set here; omit it.` }
}

/** @throws AppError `invalid` (`read_only_field`) when a field was refused. */
export function assertNothingRefused({ refused }: SortedBody, message: string): void {
  if (Object.keys(refused).length === 0) return
  throw new AppError('invalid', message, { reason: 'read_only_field', fields: { ...refused } })
}

/**
 * Checks the texts that a body sets. What is stored already may be sent again, so that other fields of the
 * record can be changed.
 * @throws AppError `invalid` with every bad field.
 */
export function assertTextsAreWritten(
  collection: AnyCollection,
  { values }: SortedBody,
  { before, message }: { before: AnyRecord | undefined; message: string },
): void {
  const fields: Record<string, FieldError> = {}
  for (const [name, value] of Object.entries(values)) {
    if (!collection.fields[name]?.kind.isFreeText || typeof value !== 'string' || value === before?.[name])
      continue
    const error = writtenTextError(name, value)
    if (error) fields[name] = error
  }
  if (Object.keys(fields).length > 0) throw new AppError('invalid', message, { fields })
}

function isProtected(name: string, field: Field, { behavior, isSuperuser, before }: Options): boolean {
  const fixed = before ? behavior.fixed?.update : behavior.fixed?.create
  if (field.readOnly || field.internal || fixed?.includes(name)) return true
  if (isSuperuser) return false
  const isOwner = before !== undefined && behavior.owner === name
  return field.hidden === true || isOwner || behavior.superuserOnly?.includes(name) === true
}

function changesNothing(
  name: string,
  field: Field,
  sent: unknown,
  { before, isSuperuser }: Pick<Options, 'before' | 'isSuperuser'>,
): boolean {
  const value = field.kind.normalize(sent)
  const same = (other: unknown) => Bun.deepEquals(value, field.kind.normalize(other))
  // Fields that the caller cannot read are not compared with the stored value: the response would reveal it.
  if (field.internal || (field.hidden && !isSuperuser)) return same(null)
  return before ? same(before[name]) : same(null) || same(initialValue(field))
}
