import { AppError, type FieldError, fromTimestamp, isId, newSecret, toTimestamp } from '../../base/index.ts'
import { eventTime } from '../collections/events.ts'
import { NOT_DESCRIBED } from '../collections/qpus.ts'
import { PROXY_PREFIX } from '../collections/users.ts'
import { withUnderscores } from '../hooks/underscores.ts'
import type { AnyCollection } from '../schema/collection.ts'
import type { Field } from '../schema/field.ts'
import { NOT_A_TIME } from '../schema/fields/index.ts'
import type { AnyRecord } from '../schema/plan.ts'
import { fieldError, initialValue } from '../schema/values.ts'
import { PASSWORD_HASH } from './exported.ts'

/** Dependencies of reading a line. */
export interface ImportContext {
  /** Time of the import, as stored text. */
  at: string
  /** Creates a record id that is unique in this import. */
  nextId(): string
  /** Normalizes the payload of a job that is still to run; throws AppError with `fields`. */
  readPayload(payload: unknown): unknown
}

/** A record to store, and its errors by the key of the line. */
interface ImportedRecord {
  record: AnyRecord
  errors: Map<string, string>
}

/** Keys in exports of other record stores that carry no data of the record. */
const IGNORED = new Set(['collection', 'collectionId', 'collectionName', 'expand', 'tokenKey'])

const PASSWORD =
  /^(\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}|\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]+)$/
const TOKEN_HASH = /^[0-9a-f]{64}$/
/** Fields that contain the SHA-256 of a token. */
const TOKEN_FIELDS: Readonly<Record<string, string>> = {
  api_tokens: 'token',
  drivers: 'token',
  qpus: 'access_token',
}

/** Reads one record of `collection`: every field by its declaration; hooks do not run. */
export function readImported(
  collection: AnyCollection,
  given: Readonly<Record<string, unknown>>,
  context: ImportContext,
): ImportedRecord {
  const errors = new Map<string, string>()
  const refuse = (key: string, message: string) => {
    if (!errors.has(key)) errors.set(key, message)
  }
  refuseUnknownKeys(collection, given, refuse)
  const record: AnyRecord = {
    id: isBlank(given['id']) ? context.nextId() : String(given['id']),
    created: timeOf(given['created'], context.at),
    updated: timeOf(given['updated'], context.at),
  }
  if (!isId(record.id)) refuse('id', 'Must be 15 characters of 0-9 and a-z.')
  for (const key of ['created', 'updated']) if (record[key] === '') refuse(key, NOT_A_TIME.message)
  for (const [name, field] of Object.entries(collection.fields)) {
    const value = given[keyOf(collection, name)]
    record[name] = value === undefined ? initialValue(field) : field.kind.normalize(value)
    const error = field.kind.formatError(value)
    if (error) refuse(name, error.message)
  }
  adapt(collection, record, context, refuse)
  for (const [name, field] of Object.entries(collection.fields)) {
    const error = valueError(field, record[name])
    if (error) refuse(keyOf(collection, name), error.message)
  }
  return { record, errors }
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

type Refuse = (key: string, message: string) => void

function refuseUnknownKeys(collection: AnyCollection, given: object, refuse: Refuse): void {
  for (const key of Object.keys(given)) {
    const problem = unknownKey(collection, key)
    if (problem) refuse(key, problem)
  }
}

function unknownKey(collection: AnyCollection, key: string): string | undefined {
  if (IGNORED.has(key) || key === 'id' || key === 'created' || key === 'updated') return undefined
  if (collection.type === 'auth') {
    if (key === PASSWORD_HASH) return undefined
    if (key === 'password')
      return `Give ${PASSWORD_HASH} (bcrypt or argon2id) instead; plain text is not taken.`
  }
  return Object.hasOwn(collection.fields, key)
    ? undefined
    : `${collection.name} has no such field; leave it out.`
}

/** The key of a field in a line. */
function keyOf(collection: AnyCollection, name: string): string {
  return collection.type === 'auth' && name === 'password' ? PASSWORD_HASH : name
}

function timeOf(given: unknown, fallback: string): string {
  if (isBlank(given)) return fallback
  const ms = typeof given === 'string' ? fromTimestamp(given) : undefined
  return ms === undefined ? '' : toTimestamp(ms)
}

function valueError(field: Field, value: unknown): FieldError | undefined {
  return fieldError(field, value, 'import') ?? field.kind.storedError(field, field.kind.encode(value))
}

const OFFLINE = { status: 'offline', command_port: 0, result_port: 0 }

/** Adjustments that hooks and the running service make otherwise. */
function adapt(collection: AnyCollection, record: AnyRecord, context: ImportContext, refuse: Refuse): void {
  const hashField = TOKEN_FIELDS[collection.name]
  const hash = hashField === undefined ? '' : record[hashField]
  if (hashField !== undefined && hash !== '' && !TOKEN_HASH.test(String(hash))) {
    refuse(hashField, 'Must be the SHA-256 of the token, as 64 hexadecimal digits in lower case.')
  }
  switch (collection.name) {
    case 'users':
    case 'superusers':
      adaptAccount(record, refuse)
      break
    case 'qpus':
      // Drivers and QPUs that were online elsewhere are offline here.
      Object.assign(record, OFFLINE, NOT_DESCRIBED, { name: withUnderscores(String(record['name'])) })
      break
    case 'drivers':
      Object.assign(record, OFFLINE, {
        name: withUnderscores(String(record['name'])),
        leased: false,
        device: withUnderscores(String(record['device'])),
      })
      break
    case 'quantum_jobs':
      adaptJob(record, context, refuse)
      break
    case 'calibration_requests':
      if (record['status'] === 'running') {
        Object.assign(record, {
          status: 'failed',
          error: 'It was running when the data were moved',
          finished_at: context.at,
        })
      }
      break
    case 'events':
      if (typeof record['ts'] === 'string') record['ts'] = eventTime(record['ts'])
      break
    case 'time_slots':
      if (String(record['start_time']) >= String(record['end_time']))
        refuse('end_time', 'Must be after start_time.')
      break
    case 'sessions':
      // Nobody holds a QPU here, and what was charged is in the balance.
      if (record['state'] !== 'closed')
        Object.assign(record, { state: 'closed', end: 'ended', stopped_at: record.updated })
      Object.assign(record, { charges: 0, charged_to: '' })
      break
    case 'notifications':
      if (record['end_time'] !== '' && String(record['start_time']) > String(record['end_time'])) {
        refuse('end_time', 'Must not be before start_time.')
      }
  }
}

function adaptAccount(record: AnyRecord, refuse: Refuse): void {
  const hash = record['password']
  if (hash !== '' && !PASSWORD.test(String(hash))) refuse(PASSWORD_HASH, 'Must be a bcrypt or argon2id hash.')
  // Sessions of another installation are invalid here.
  record['tokenKey'] = newSecret()
  const isReserved = String(record['username'] ?? '')
    .toLowerCase()
    .startsWith(PROXY_PREFIX)
  if (isReserved && record['unlimited'] !== true) {
    refuse('username', `Must not begin with ${PROXY_PREFIX}, which is reserved for superusers.`)
  }
}

/** A job that has not ended enters the queue as if it were new; a held one stays held. */
function adaptJob(record: AnyRecord, { readPayload }: ImportContext, refuse: Refuse): void {
  const isOpen = record['status'] === 'pending' || record['status'] === 'running'
  if (record['status'] !== 'pending') Object.assign(record, { held: false, hold_reason: '' })
  if (!isOpen) {
    // Other services do not store when a job ended.
    if (record['finished_at'] === '') record['finished_at'] = record.updated
    return
  }
  Object.assign(record, {
    status: 'pending',
    attempt: 0,
    not_before: 0,
    run_next: 0,
    driver: '',
    qpu: '',
    started_at: '',
    finished_at: '',
    duration: 0,
    results: null,
    error_code: '',
    // Secrets of sessions are not moved.
    holder: '',
    session: '',
  })
  try {
    record['payload'] = readPayload(record['payload'])
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const fields = Object.entries(error.fields)
    for (const [path, { message }] of fields) refuse(`payload.${path}`, message)
    if (fields.length === 0) refuse('payload', error.message)
  }
}
