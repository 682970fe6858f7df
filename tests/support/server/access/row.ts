import type { SCOPE_LADDER, TokenScope } from '../../../../src/db/store/accounts/index.ts'
import type { TestAccount, TestClient, TestQpu, TestServer } from '../server.ts'

/** The callers. The records in the paths belong to `owner`; `program` is the owner's API token. */
export const ROLES = ['guest', 'owner', 'other', 'program', 'superuser'] as const

/** The server that the table is tested on. */
export interface World {
  server: TestServer
  owner: TestAccount
  qpu: TestQpu
  /** Id of a calibrate driver. */
  tuner: string
  clients: Record<(typeof ROLES)[number], TestClient>
  /** API tokens of the owner, by scope. */
  scoped: Record<TokenScope, TestClient>
  /** The secret of an open session of a user and a QPU that appear nowhere else. */
  inSession: TestClient
  /** A pending job of the owner. */
  job(): Promise<string>
  /** An API token of the owner. */
  token(): Promise<string>
}

export type Statuses = readonly [
  guest: number,
  owner: number,
  other: number,
  program: number,
  superuser: number,
]
/** The expected statuses of one route. */
export interface Row {
  route: string
  statuses: Statuses
  /** Path and body of a valid request, created for each role. */
  call?(world: World): { path?: string; body?: object } | Promise<{ path?: string; body?: object }>
}

export const PUBLIC: Statuses = [200, 200, 200, 200, 200]
export const SUPERUSER: Statuses = [401, 403, 403, 403, 200]
export const SUPERUSER_MISSES: Statuses = [401, 403, 403, 403, 404]
export const SUPERUSER_CREATES: Statuses = [401, 403, 403, 403, 201]
export const SIGNED_IN: Statuses = [401, 200, 200, 200, 200]
/** Only the owner; a superuser acts as its proxy user here. */
export const OWNER: Statuses = [401, 200, 404, 200, 404]
export const OWNER_OR_SUPERUSER: Statuses = [401, 200, 404, 200, 200]
/** The routes that need less than the scope `all`, besides GET routes, which need `read`. */
const SCOPES: Readonly<Record<string, (typeof SCOPE_LADDER)[number]>> = {
  'POST /api/jobs/changes': 'read',
  'POST /api/jobs': 'submit',
  'POST /api/jobs/:id/cancel': 'submit',
  'PATCH /api/jobs/:id': 'submit',
  'DELETE /api/jobs/:id': 'submit',
  'POST /api/sessions': 'submit',
  'PATCH /api/sessions/:id': 'submit',
  'DELETE /api/sessions/:id': 'submit',
  // For jobs only; the rows of other collections expect 403.
  'POST /api/collections/:collection/records': 'submit',
  'POST /api/reads': 'read',
  'POST /api/realtime': 'read',
}
export const scopeOf = (route: string): (typeof SCOPE_LADDER)[number] =>
  SCOPES[route] ?? (route.startsWith('GET ') ? 'read' : 'all')

/** What an API token of the scope `operate` allows; everything else is refused. */
const OPERATIONS = new Set([
  ...['GET /api/me', 'DELETE /api/tokens/:id', 'GET /api/pub/root-ca.pem', 'GET /api/schedule'],
  ...['GET /api/qpus', 'GET /api/qpus/:name', 'GET /api/qpus/:name/queue', 'GET /api/op/qpus/availability'],
  ...[
    'GET /api/op/version',
    'GET /api/op/service',
    'GET /api/op/utilization',
    'GET /api/op/drivers/activity',
  ],
  ...['GET /api/jobs', 'GET /api/jobs/count', 'GET /api/jobs/by-key/:key', 'POST /api/jobs/changes'],
  ...['GET /api/jobs/:id', 'GET /api/jobs/:id/receipt', 'GET /api/jobs/:id/partial-results'],
  ...['GET /api/sessions', 'GET /api/sessions/:id'],
  ...['hold', 'release', 'run-next', 'move'].map((action) => `POST /api/op/jobs/:id/${action}`),
  ...['toggle', 'maintenance', 'drain'].map((action) => `POST /api/op/qpu/${action}`),
  ...['values', 'history', 'medians'].map((what) => `GET /api/calibration/${what}`),
  ...[
    'POST /api/op/calibrate/dispatch',
    'GET /api/recalls',
    'POST /api/op/recalls',
    'POST /api/op/recalls/:id/undo',
  ],
])
/** What an API token of the scope `session` allows, and what it gets: the sessions here are no cluster's. */
const OF_CLUSTERS: Readonly<Record<string, number>> = {
  'POST /api/sessions': 400,
  'GET /api/sessions': 200,
  'GET /api/sessions/:id': 404,
  'PATCH /api/sessions/:id': 404,
  'DELETE /api/sessions/:id': 404,
}
export const statusOfCluster = (route: string) => OF_CLUSTERS[route] ?? 403
/** What the secret of a session allows; for everything else, whoever has it is a guest. */
const IN_SESSION: Readonly<Record<string, number>> = {
  // They name a QPU, a job and a session of others.
  'POST /api/jobs': 403,
  ...{ 'GET /api/jobs/by-key/:key': 404, 'GET /api/jobs/:id': 404, 'GET /api/jobs/:id/partial-results': 404 },
  ...{ 'POST /api/jobs/:id/cancel': 404, 'GET /api/sessions/:id': 404, 'PATCH /api/sessions/:id': 404 },
  'DELETE /api/sessions/:id': 404,
  // What is its own.
  ...{ 'GET /api/sessions': 200, 'POST /api/jobs/changes': 200 },
}
export const inSession = ({ route, statuses: [guest] }: Row) => IN_SESSION[route] ?? guest

export const isOperation = (route: string) => OPERATIONS.has(route)

export const all = (status: number): Statuses => [status, status, status, status, status]

let names = 0
/** A name that no other record has. */
export const fresh = (prefix: string) => {
  names += 1
  return `${prefix}_${names}`
}

/** A valid program. */
export const PROGRAM = 'OPENQASM 3.0; include "stdgates.inc"; qubit q; bit c; c = measure q;'
