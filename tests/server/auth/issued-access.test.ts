import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newSecret } from '../../../src/base/index.ts'
import { ISSUED, signInExternally, superusers, users } from '../../../src/db/store/accounts/index.ts'
import { calibrationResults } from '../../../src/db/store/calibrations/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { queueWebhookEvent, webhooks } from '../../../src/db/store/webhooks/index.ts'
import {
  login,
  openTestServer,
  type TestAccount,
  TestClient,
  type TestServer,
} from '../../support/server/server.ts'
import { listenAs } from '../../support/server/subscriptions.ts'
import { until } from '../../support/until.ts'

/** Where nobody listens. */
const RECEIVERS = { webhookNetworks: '127.0.0.1' }

type Collection = 'users' | '_superusers'
interface Lab {
  server: TestServer
  collection: Collection
  account: TestAccount
}
const refuseUnknown = () => {
  throw new Error('no account is linked')
}
type Kind = 'logins' | 'mailed_links' | 'event_streams' | (typeof ISSUED)[number]

const pathOf = ({ collection, account }: Lab) => `/api/collections/${collection}/records/${account.id}`
const isOk = async (response: Promise<{ status: number }>) => (await response).status < 300

/** Gives out access of each kind; returns a function that says whether it is still valid. */
const KINDS: Record<Kind, (lab: Lab) => Promise<() => Promise<boolean>>> = {
  async logins({ server, collection, account }) {
    const other = server.as({ token: await login(server.guest, collection, account) })
    return () => isOk(other.get('/api/jobs'))
  },
  async mailed_links({ server, collection, account: { id } }) {
    const body = { collection, id, purpose: 'verification' }
    const link = new URL((await server.admin.post('/api/op/account-links', body)).text('link'))
    const token = link.searchParams.get('token')
    return () => isOk(server.guest.post(`/api/collections/${collection}/confirm-verification`, { token }))
  },
  async api_tokens({ server, account }) {
    const created = await server.as(account).post('/api/tokens')
    const program = new TestClient(server.url, { 'x-api-token': created.text('token') }, server.admin.routes)
    return () => isOk(program.get('/api/jobs'))
  },
  async session_secrets({ server, account }) {
    const { name } = await server.createQpu()
    const started = await server.as(account).post('/api/sessions', { qpu_target: name, seconds: 600 })
    const program = server.as({ token: started.text('secret') })
    return () => isOk(program.get(`/api/sessions/${started.text('id')}`))
  },
  async shares({ server, account }) {
    const { driver, id: qpu } = await server.createQpu()
    const report = { driver, qpu, mode: 'full', status: 'success', backend: 'b' } as const
    const { id } = await server.db.write('report', (tx) => tx.insert(calibrationResults, report))
    const created = await server.as(account).post('/api/shares', { kind: 'report', record: id })
    const path = new URL(created.text('url')).pathname.replace('/shared/', '/api/shared/')
    return () => isOk(server.guest.get(path))
  },
  async calendar_feeds({ server, account }) {
    const created = await server.as(account).post('/api/calendar-feed', {})
    return () => isOk(server.guest.get(new URL(created.text('url')).pathname))
  },
  async webhooks({ server, account }) {
    const body = { url: 'https://127.0.0.1:9/hook', kinds: ['job.ended'] }
    const id = (await server.as(account).post('/api/webhooks', body)).text('id')
    return () =>
      server.db.write('event', (tx) => {
        const user = tx.find(webhooks, id)?.user
        const pending = () =>
          tx.all("SELECT id FROM webhook_deliveries WHERE webhook = $id AND state = 'pending'", { id }).length
        const before = pending()
        if (user !== undefined) queueWebhookEvent(tx, { kind: 'job.ended', user, data: {} })
        return pending() > before
      })
  },
  async linked_accounts({ server: { admin, db }, account: { id } }) {
    const link = { recordRef: id, provider: 'other', providerId: id }
    const linked = await admin.post('/api/collections/_externalAuths/records', link)
    expect(linked.status).toBe(200)
    const identity = { ...link, email: '' }
    return () =>
      signInExternally(db, { identity, signedIn: undefined, create: refuseUnknown }).then(
        ({ user }) => user.id === id,
        () => false,
      )
  },
  async event_streams({ server, collection, account }) {
    const token = await login(server.guest, collection, account)
    const stream = await listenAs(server.as({ token }), 'quantum_jobs/*', 'qpus/*')
    return async () => {
      const [jobs, qpus] = [stream.of('quantum_jobs/*').length, stream.of('qpus/*').length]
      await server.db.write('job', (tx) => {
        const user = tx.find(users, account.id)
        return tx.insert(quantumJobs, { user_id: user?.id ?? '' })
      })
      await server.createQpu()
      await until('the QPU', () => stream.of('qpus/*').length > qpus)
      return stream.of('quantum_jobs/*').length > jobs
    }
  },
}

const LOGINS: Kind[] = ['logins', 'mailed_links', 'event_streams']
const ALL = Object.keys(KINDS) as Kind[]
/** What a full end ends; linked accounts, which may be the only way to sign in, are listed. */
const GIVEN = ALL.filter((kind) => kind !== 'linked_accounts')
/** No superuser signs in at a provider. */
const kindsOf = (collection: Collection) => (collection === 'users' ? ALL : GIVEN)
const everywhere = (body: object) => (lab: Lab) =>
  lab.server.as(lab.account).post('/api/auth/logout-everywhere', body)
const change = (body: object) => (lab: Lab) => lab.server.admin.patch(pathOf(lab), body)
const newPassword = (body: object) => (lab: Lab) =>
  lab.server
    .as(lab.account)
    .patch(pathOf(lab), { oldPassword: lab.account.password, password: 'another one', ...body })

interface Act {
  act: string
  run: (lab: Lab) => Promise<unknown>
  ends: Kind[]
  only?: Collection
}
const ACTS: Act[] = [
  {
    act: 'a reset by a mailed link',
    async run({ server, collection, account: { id } }) {
      const body = { collection, id, purpose: 'password_reset' }
      const link = new URL((await server.admin.post('/api/op/account-links', body)).text('link'))
      const given = {
        token: link.searchParams.get('token'),
        password: 'another one',
        passwordConfirm: 'another one',
      }
      await server.guest.post(`/api/collections/${collection}/confirm-password-reset`, given)
    },
    ends: GIVEN,
  },
  { act: 'a new password with removeApiTokens', run: newPassword({ removeApiTokens: true }), ends: GIVEN },
  { act: 'sign out everywhere with its tick', run: everywhere({ api_tokens: true }), ends: GIVEN },
  { act: 'a new key by a superuser', run: change({ 'tokenKey:autogenerate': '' }), ends: GIVEN },
  {
    act: 'the removal of the account',
    run: (lab) => lab.server.admin.call('DELETE', pathOf(lab)),
    ends: ALL,
  },
  { act: 'disabling', run: change({ disabled: true }), ends: ALL, only: 'users' },
  {
    act: 'disabling, then enabling',
    run: (lab) => change({ disabled: true })(lab).then(() => change({ disabled: false })(lab)),
    ends: GIVEN.filter((kind) => kind !== 'api_tokens'),
    only: 'users',
  },
  {
    act: 'a login of the owner of the address at a provider',
    async run({ server: { db }, account: { id, email } }) {
      await db.write('unverified', (tx) => tx.update(users, id, { verified: false }))
      const identity = { provider: 'lab', providerId: id, email }
      await signInExternally(db, { identity, signedIn: undefined, create: refuseUnknown })
    },
    ends: ALL,
    only: 'users',
  },
  { act: 'a new password with the old one', run: newPassword({}), ends: LOGINS },
  { act: 'sign out everywhere', run: everywhere({}), ends: LOGINS },
  { act: 'a new address', run: (lab) => change({ email: `${newSecret(6)}@example.org` })(lab), ends: LOGINS },
  {
    act: 'the button for what remains',
    run: ({ server, account }) =>
      server.as(account).post('/api/auth/logout-everywhere', { api_tokens: true, logins: false }),
    ends: ISSUED.filter((kind) => kind !== 'linked_accounts'),
  },
  { act: 'a change of something else', run: change({ emailVisibility: true }), ends: [] },
]

async function valid(checks: ReadonlyMap<Kind, () => Promise<boolean>>): Promise<Kind[]> {
  const found: Kind[] = []
  for (const [kind, isValid] of checks) if (await isValid()) found.push(kind)
  return found
}

async function accountOf(server: TestServer, collection: Collection): Promise<TestAccount> {
  if (collection === 'users') return server.createUser({ qpuSeconds: 1_000 })
  const account = { email: `${newSecret(6)}@example.org`, password: `password ${newSecret(6)}` }
  const created = await server.admin.post('/api/collections/_superusers/records', account)
  return { id: created.text('id'), ...account, token: await login(server.guest, '_superusers', account) }
}

describe.each(['users', '_superusers'] as const)('what an account of %s has given out', (collection) => {
  test('ends with the acts that end it, and stays with others', async () => {
    await using server = await openTestServer({ settings: { jobsVisibility: 'owner', ...RECEIVERS } })
    for (const { act, run, ends, only = collection } of ACTS) {
      if (only !== collection) continue
      const lab = { server, collection, account: await accountOf(server, collection) }
      const checks = new Map<Kind, () => Promise<boolean>>()
      const kinds = kindsOf(collection)
      for (const kind of kinds) checks.set(kind, await KINDS[kind](lab))
      expect([act, await valid(checks)]).toEqual([act, kinds])
      await run(lab)
      expect([act, await valid(checks)]).toEqual([act, kinds.filter((kind) => !ends.includes(kind))])
    }
  })

  test('is listed by the responses of what leaves it valid, and of the account', async () => {
    await using server = await openTestServer({ settings: RECEIVERS })
    const account = await accountOf(server, collection)
    const lab = { server, collection, account }
    const linked_accounts = collection === 'users' ? 1 : 0
    for (const kind of ISSUED) if (kindsOf(collection).includes(kind)) await KINDS[kind](lab)
    const one = {
      api_tokens: 1,
      session_secrets: 1,
      shares: 1,
      calendar_feeds: 1,
      webhooks: 1,
      linked_accounts,
    }
    const changed = await newPassword({})(lab)
    expect([changed.status, changed.get('issued_access')]).toEqual([200, one])
    const again = { ...account, password: 'another one' }
    const me = () => login(server.guest, collection, again).then((token) => server.as({ token }))
    expect((await (await me()).get('/api/me')).get('issued_access')).toEqual(one)
    expect((await (await me()).post('/api/auth/logout-everywhere', {})).body).toEqual({
      status: 'logged_out',
      api_tokens: 0,
      issued_access: one,
    })
    const ended = await (await me()).post('/api/auth/logout-everywhere', {
      api_tokens: true,
      logins: false,
    })
    const none = {
      api_tokens: 0,
      session_secrets: 0,
      shares: 0,
      calendar_feeds: 0,
      webhooks: 0,
      linked_accounts,
    }
    expect(ended.body).toEqual({ status: 'ended', api_tokens: 1, issued_access: none })
    expect((await (await me()).get('/api/me')).get('issued_access')).toEqual(none)
    const audit = await server.admin.get('/api/op/audit?action=account.end_access')
    expect(audit.body).toMatchObject({
      entries: expect.arrayContaining([
        expect.objectContaining({
          subject: account.id,
          detail: expect.objectContaining({ ...one, linked_accounts: 0 }),
        }),
      ]),
    })
    const [webhook] = (await (await me()).get('/api/webhooks')).body as Record<string, unknown>[]
    expect(webhook).toMatchObject({
      enabled: false,
      disabled_reason: 'what its account had given out was ended',
    })
  })
})

test('a login of the proxy user ends with those of its superuser', async () => {
  await using server = await openTestServer()
  const account = await accountOf(server, '_superusers')
  await server.as(account).get('/api/tokens')
  const proxy = await server.db.read((tx) => tx.findBy(users, { username: `superuser_${account.id}` }))
  const issued = await server.as(account).post(`/api/collections/users/impersonate/${proxy?.id}`, {})
  const thief = server.as({ token: issued.text('token') })
  expect((await thief.get('/api/jobs')).status).toBe(200)
  await server.as(account).post('/api/auth/logout-everywhere', {})
  expect((await thief.get('/api/jobs')).status).toBe(401)
  expect(await server.db.read((tx) => tx.find(superusers, account.id))).toBeDefined()
})

/** Every column of the database whose name is one of a secret, and what it gives access to. */
const SECRETS: Record<string, Kind | 'the account' | 'a driver' | 'the signature of deliveries'> = {
  'api_tokens.token': 'api_tokens',
  'calendar_feeds.hash': 'calendar_feeds',
  'shares.hash': 'shares',
  'superusers.password': 'the account',
  'superusers.tokenKey': 'logins',
  'users.password': 'the account',
  'users.tokenKey': 'logins',
  'users.api_tokens': 'api_tokens',
  'drivers.token': 'a driver',
  'qpus.access_token': 'a driver',
  'webhooks.secret': 'the signature of deliveries',
  'webhooks.previous_secret': 'the signature of deliveries',
}
/** Hashes of what is no secret. */
const HASHES = ['audit_log.hash', 'audit_log.previous_hash', 'audit_log.personal_hash', 'migrations.hash']
HASHES.push(
  'idempotency_keys.body_hash',
  'job_provenance.hash',
  'quantum_jobs.program_hash',
  'session_holders.body_hash',
)

/** Every table with a column of an account, and what its rows let somebody else do. */
const OWNED: Record<string, Kind | 'nothing'> = {
  api_tokens: 'api_tokens',
  calendar_feeds: 'calendar_feeds',
  external_auths: 'linked_accounts',
  session_holders: 'session_secrets',
  shares: 'shares',
  webhooks: 'webhooks',
}
const HARMLESS = [
  'calibration_requests',
  'idempotency_keys',
  'known_addresses',
  'mail_digests',
  'mail_items',
  'notifications',
]
HARMLESS.push('qpu_ledger', 'qpu_time_requests', 'qpu_usage', 'quantum_jobs', 'quantum_jobs_tags')
HARMLESS.push('recall_notices', 'recalled_jobs', 'recalls', 'recent_use', 'time_slots')
// What clusters open for a user are sessions.
HARMLESS.push('cluster_accounts', 'sessions')

const schema = readFileSync(join(import.meta.dir, '../../golden/schema.sql'), 'utf8')
const COLUMNS = [...schema.matchAll(/CREATE TABLE "(\w+)" \(\n([\s\S]*?)\n\)/g)].flatMap(
  ([, table = '', columns = '']) =>
    [...columns.matchAll(/^ {2}"(\w+)"/gm)].map(([, column]) => `${table}.${column}`),
)

test('a new table of rows that belong to an account is a kind of what it gives out, or says that it is not', () => {
  const owner = /\.(\w*user|user_id|target_users|account|owner|superuser|recordRef|\w+_by)$/
  const found = COLUMNS.filter((column) => owner.test(column)).map((column) => column.split('.')[0] ?? '')
  expect([...new Set(found)].sort()).toEqual([...Object.keys(OWNED), ...HARMLESS].sort())
})

test('a new column with a secret is a kind of what an account gives out, or something else', () => {
  const secrets = COLUMNS.filter((column) => /\.\w*(hash|token|secret|password)/i.test(column))
  expect(secrets.sort()).toEqual([...Object.keys(SECRETS), ...HASHES].sort())
})

test('a login that was issued by impersonation ends with the credentials of everybody who issued it', async () => {
  await using server = await openTestServer()
  const thief = await server.db.write('thief', (tx) => tx.insert(superusers, { email: 'stolen@example.org' }))
  const second = await server.db.write('second', (tx) =>
    tx.insert(superusers, { email: 'other@example.org' }),
  )
  const user = await server.createUser()
  const impersonate = async (as: string | undefined, kind: string, id: string) => {
    const caller = as === undefined ? server.admin : server.as({ token: as })
    const issued = await caller.post(`/api/collections/${kind}/impersonate/${id}`, {})
    return String(issued.get('token'))
  }
  const asThief = await impersonate(undefined, '_superusers', thief.id)
  const asSecond = await impersonate(asThief, '_superusers', second.id)
  const tokens = [await impersonate(asThief, 'users', user.id), await impersonate(asSecond, 'users', user.id)]
  const statuses = () =>
    Promise.all(tokens.map(async (token) => (await server.as({ token }).get('/api/me')).status))
  expect(await statuses()).toEqual([200, 200])
  await server.db.write('reset', (tx) => tx.update(superusers, thief.id, { tokenKey: 'another' }))
  expect(await statuses()).toEqual([401, 401])
})
