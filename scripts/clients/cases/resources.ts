import { CLOSED, failure, type Lab, type PlannedCase } from './plan.ts'

/** A time at a full hour, some days after the recording. */
function inDays(days: number, hours = 0): string {
  const day = Math.floor(Date.now() / 86_400_000) + days
  return new Date(day * 86_400_000 + hours * 3_600_000).toISOString()
}

const slot = { qpu: 'simulator', start: inDays(3, 9), end: inDays(3, 10) }
const note = (lab: Lab) => ({ collection: 'notes', id: lab.ids['note'] })

const facility: readonly PlannedCase[] = [
  { name: 'QPUs are listed', call: 'qpus', args: {} },
  { name: 'a QPU has the description of its device', call: 'qpu', args: { name: 'simulator' } },
  { name: 'a QPU does not exist', call: 'qpu', args: { name: 'no/such QPU' } },
  { name: 'the account has a balance and limits', call: 'me', args: {} },
  { name: 'an account without valid credentials', call: 'me', args: {}, as: 'nobody' },
  { name: 'a slot is booked', call: 'book', args: slot },
  { name: 'a slot that overlaps is refused', call: 'book', args: slot },
  { name: 'the schedule has busy times', call: 'schedule', args: { start: inDays(3), end: inDays(4) } },
]

const array = {
  qpu: 'second',
  seconds: 600,
  idle_seconds: 30,
  mode: 'batch',
  holder: { kind: 'slurm', id: '4711' },
  idempotency_key: 'array-4711',
}
const session = (lab: Lab) => ({ id: lab.ids['session'] })
const OLD_SERVER = failure(404, 'not_found', 'Not found')

const sessions: readonly PlannedCase[] = [
  { name: 'a session is started', call: 'sessions.start', args: array },
  { name: 'a session is started once with the same key', call: 'sessions.start', args: array },
  {
    name: 'a session is started after a lost connection',
    call: 'sessions.start',
    args: { qpu: 'second', seconds: 60, mode: 'batch' },
    failures: { responses: [CLOSED] },
  },
  { name: 'a session of another mode is open', call: 'sessions.start', args: { qpu: 'second', seconds: 60 } },
  { name: 'a session on an unknown QPU', call: 'sessions.start', args: { qpu: 'nowhere', seconds: 60 } },
  {
    name: 'a session at a server of an earlier release',
    call: 'sessions.start',
    args: { qpu: 'second', seconds: 60 },
    failures: { responses: [OLD_SERVER, OLD_SERVER] },
    contains: ['this server has no sessions, it is older than this client'],
  },
  { name: 'sessions are listed', call: 'sessions.list', args: {} },
  { name: 'a session is read', call: 'sessions.get', args: session },
  {
    name: 'a session is extended',
    call: 'sessions.extend',
    args: (lab) => ({ ...session(lab), seconds: 900 }),
  },
  { name: 'a session is ended', call: 'sessions.end', args: session },
  {
    name: 'a session that has ended is extended',
    call: 'sessions.extend',
    args: (lab) => ({ ...session(lab), seconds: 60 }),
  },
  {
    name: 'a session has ended that is awaited',
    call: 'sessions.wait',
    args: session,
    contains: ['has ended'],
  },
]

const tokens: readonly PlannedCase[] = [
  {
    name: 'a token is created',
    call: 'tokens.create',
    args: { body: { name: 'notebook', scope: 'submit' } },
  },
  { name: 'tokens are listed', call: 'tokens.list', args: {} },
  {
    name: 'a token is renamed',
    call: 'tokens.update',
    args: ({ ids }) => ({ id: ids['token'], body: { name: 'desk' } }),
  },
  {
    name: 'a token is deleted, the second time after a lost connection',
    call: 'tokens.delete',
    args: ({ ids }) => ({ id: ids['token'] }),
    failures: { responses: [CLOSED] },
  },
  {
    name: 'a token with an unknown scope is refused',
    call: 'tokens.create',
    args: { body: { name: 'x', scope: 'write' } },
  },
]

const records: readonly PlannedCase[] = [
  {
    name: 'records are listed with a filter, an order and chosen fields',
    call: 'collection.list',
    args: {
      collection: 'quantum_jobs',
      options: { filter: "tags ~ 'listed'", sort: '-created', fields: 'name,status', perPage: 2, page: 1 },
    },
  },
  {
    name: 'a filter of records is not valid',
    call: 'collection.list',
    args: { collection: 'quantum_jobs', options: { filter: 'nonsense ~' } },
  },
  { name: 'a record is read', call: 'collection.get', args: note },
  {
    name: 'a record does not exist',
    call: 'collection.get',
    args: { collection: 'notes', id: 'aaaaaaaaaaaaaaa' },
  },
  {
    name: 'a record is created',
    call: 'collection.create',
    args: { collection: 'notes', body: { text: 'Trap exchanged', at: inDays(0) } },
    as: 'superuser',
  },
  {
    name: 'the creation of a record is not repeated after 500',
    call: 'collection.create',
    args: { collection: 'notes', body: { text: 'Once' } },
    failures: { responses: [failure(500, 'internal', 'Internal error')] },
  },
  {
    name: 'a lost connection may have created a record',
    call: 'collection.create',
    args: { collection: 'notes', body: { text: 'Perhaps' } },
    failures: { responses: [CLOSED] },
  },
  {
    name: 'a record is changed',
    call: 'collection.update',
    args: (lab) => ({ ...note(lab), body: { text: 'Trap exchanged at 9:00' } }),
    as: 'superuser',
  },
  {
    name: 'a record may not be changed by others',
    call: 'collection.update',
    args: (lab) => ({ ...note(lab), body: { text: 'mine' } }),
  },
  { name: 'a record is deleted', call: 'collection.delete', args: note, as: 'superuser' },
]

/** QPUs, the account, the schedule, sessions, tokens and records. */
export const RESOURCES: readonly PlannedCase[] = [...facility, ...sessions, ...tokens, ...records]
