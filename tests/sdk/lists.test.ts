import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type PocketBase from 'pocketbase'
import { openSdk, openSdkAs, openSdkAsSuperuser, refusal } from '../support/server/sdk.ts'
import { openTestServer, type TestAccount, type TestServer } from '../support/server/server.ts'

let server: TestServer
let admin: PocketBase
let user: TestAccount
let pb: PocketBase
const created: string[] = []

const COUNT = 45
const BELL =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'

beforeAll(async () => {
  server = await openTestServer()
  admin = await openSdkAsSuperuser(server)
  user = await server.createUser({ qpuSeconds: 100, username: 'noether' })
  pb = await openSdkAs(server, user)
  const { id: kelvin } = await server.createQpu('kelvin')
  const { id: rankine } = await server.createQpu('rankine')
  for (let index = 0; index < COUNT; index++) {
    const job = await pb.send<{ id: string }>('/api/jobs', {
      method: 'POST',
      body: { circuits: [{ circuit: BELL }], shots: index + 1, qpu_target: index % 3 ? kelvin : rankine },
    })
    created.push(job.id)
  }
  await pb.send(`/api/jobs/${created[7]}/cancel`, { method: 'POST' })
})

afterAll(() => server[Symbol.asyncDispose]())

const jobs = () => pb.collection('quantum_jobs')

describe('getList()', () => {
  test('returns pages, with totals', async () => {
    const first = await jobs().getList(1, 20, { sort: 'created' })
    expect(first).toMatchObject({ page: 1, perPage: 20, totalItems: COUNT, totalPages: 3 })
    const rest = await Promise.all(
      [2, 3, 4].map((page) => jobs().getList(page, 20, { sort: 'created', requestKey: null })),
    )
    const ids = [first, ...rest].flatMap((page) => page.items.map(({ id }) => id))
    expect(ids).toEqual(created)
    expect(rest.map(({ page, items }) => [page, items.length])).toEqual([
      [2, 20],
      [3, 5],
      [4, 0],
    ])
  })

  test('accepts odd pages as the record store does', async () => {
    expect(await jobs().getList(-1, 0, { fields: 'id' })).toMatchObject({ page: 1, perPage: 30 })
    expect((await jobs().getList(1, 5_000, { fields: 'id' })).perPage).toBe(1_000)
    expect((await refusal(pb.send('/api/collections/quantum_jobs/records?page=one', {}))).status).toBe(400)
  })

  test('skips the totals on request', async () => {
    const page = await jobs().getList(1, 10, { skipTotal: true })
    expect([page.totalItems, page.totalPages, page.items.length]).toEqual([-1, -1, 10])
  })

  test('sorts by several keys, by relations and at random', async () => {
    const sorted = await jobs().getFullList({ sort: 'qpu_target.name,-payload.shots' })
    const shots = sorted.map((job) => job['payload'].shots)
    const kelvin = Array.from({ length: COUNT }, (_, at) => at + 1).filter((count) => (count - 1) % 3 !== 0)
    expect(shots.slice(0, kelvin.length)).toEqual(kelvin.toReversed())
    const random = await jobs().getFullList({ sort: '@random' })
    expect(random.map(({ id }) => id).toSorted()).toEqual(created.toSorted())
    expect((await refusal(jobs().getList(1, 1, { sort: 'nosuch' }))).status).toBe(400)
  })
})

describe('getFullList() and getFirstListItem()', () => {
  test('read all records in batches', async () => {
    const all = await jobs().getFullList({ batch: 10, sort: 'created', fields: 'id' })
    expect(all).toEqual(created.map((id) => ({ id })) as never)
    expect(await jobs().getFullList()).toHaveLength(COUNT)
  })

  test('find one by several conditions', async () => {
    const job = await jobs().getFirstListItem('status = "cancelled" && user_id.username = "noether"')
    expect(job.id).toBe(created[7] ?? '')
  })
})

describe('filter()', () => {
  test('binds every kind of parameter', async () => {
    const at = (await jobs().getOne(created[20] ?? ''))['created']
    const filters: [string, Record<string, unknown>, number][] = [
      ['status = {:status}', { status: 'cancelled' }, 1],
      ['payload.shots > {:least} && payload.shots <= {:most}', { least: 10, most: 15 }, 5],
      ['created < {:at}', { at: new Date(at.replace(' ', 'T')) }, 20],
      ['finished_at = {:none}', { none: null }, COUNT - 1],
      ['qpu_target.enabled = {:yes}', { yes: true }, COUNT],
      ['user_id.username = {:name}', { name: 'no"eth\'er\\' }, 0],
      ['user_id.username ~ {:part}', { part: 'OETH' }, COUNT],
      ['user_id.username !~ {:part}', { part: 'oeth' }, 0],
      ['qpu_target.name ?= {:name}', { name: 'rankine' }, 15],
      ['payload.circuits.0.circuit ~ {:part}', { part: 'h q[0]' }, COUNT],
      ['id = {:a} || id = {:b}', { a: created[0], b: created[1] }, 2],
      ['(status = {:a} || status = {:b}) && payload.shots = 8', { a: 'pending', b: 'cancelled' }, 1],
      ['created >= @todayStart && created <= @todayEnd', {}, COUNT],
      ['status:lower = {:status}', { status: 'pending' }, COUNT - 1],
    ]
    for (const [text, params, count] of filters) {
      const { totalItems } = await jobs().getList(1, 1, { filter: pb.filter(text, params), requestKey: null })
      expect([text, totalItems]).toEqual([text, count])
    }
  })

  test('is refused with 400 when it is meaningless', async () => {
    for (const filter of [
      'nosuch = 1',
      'status =',
      'status = "a" &&',
      '(status = "a"',
      'status == 1',
      "' OR 1=1 --",
    ]) {
      const error = await refusal(jobs().getList(1, 1, { filter, requestKey: null }))
      expect([filter, error.status]).toEqual([filter, 400])
    }
  })

  test('cannot use the request or other collections', async () => {
    for (const filter of ['@request.auth.id != ""', '@collection.users.email ~ "a"']) {
      expect((await refusal(jobs().getList(1, 1, { filter, requestKey: null }))).status).toBe(403)
    }
    const open = await admin.collection('quantum_jobs').getList(1, 1, { filter: '@request.auth.id != ""' })
    expect(open.totalItems).toBe(COUNT)
  })

  test('cannot widen the rule', async () => {
    const other = await openSdkAs(server, await server.createUser())
    const seen = await other.collection('users').getFullList({ filter: 'id != "" || id = ""' })
    expect(seen).toHaveLength(1)
    const guest = await openSdk(server)
      .collection('quantum_jobs')
      .getList(1, 1, { filter: 'user_id.username = "noether"' })
    expect(guest.totalItems).toBe(0)
  })
})

describe('expand and fields', () => {
  test('related records are included as far as the caller may see them', async () => {
    const job = await jobs().getOne(created[0] ?? '', { expand: 'qpu_target,user_id,nosuch' })
    expect(job.expand).toMatchObject({
      qpu_target: { name: 'rankine', collectionName: 'qpus' },
      user_id: { id: user.id, email: user.email },
    })
    const guest = openSdk(server).collection('quantum_jobs')
    const seen = await guest.getOne(created[0] ?? '', { expand: 'qpu_target,user_id' })
    expect(Object.keys(seen.expand ?? {})).toEqual(['qpu_target'])
  })

  test('back relations are lists', async () => {
    const found = await pb
      .collection('users')
      .getOne(user.id, { expand: 'quantum_jobs_via_user_id.qpu_target' })
    const related = found.expand?.['quantum_jobs_via_user_id']
    expect(related).toHaveLength(COUNT)
    expect(related[0].expand.qpu_target.name).toBe('rankine')
  })

  test('fields selects, also within expanded records', async () => {
    const page = await jobs().getList(1, 1, {
      sort: 'created',
      expand: 'qpu_target',
      fields: 'id,payload.shots,expand.qpu_target.name',
    })
    expect(page.items).toEqual([
      { id: created[0], payload: { shots: 1 }, expand: { qpu_target: { name: 'rankine' } } },
    ] as never)
    expect(page.totalItems).toBe(COUNT)
    const cut = await jobs().getOne(created[0] ?? '', { fields: '*,payload:excerpt(5)' })
    expect(Object.keys(cut)).toContain('status')
  })
})

describe('the rest of the client', () => {
  test('health, batch, collections', async () => {
    expect(await pb.health.check()).toMatchObject({ code: 200, message: 'API is healthy.', data: {} })
    const batch = pb.createBatch()
    batch.collection('time_slots').create({ start_time: 'x' })
    expect((await refusal(batch.send())).response).toMatchObject({
      status: 403,
      message: 'Batch requests are not allowed.',
    })
    const all = await admin.collections.getFullList()
    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['users', 'quantum_jobs', '_superusers']),
    )
    const one = await admin.collections.getOne('time_slots')
    expect(one.listRule).toBe('booked_by = @request.auth.id')
    expect(one.fields.find(({ name }) => name === 'start_time')).toMatchObject({
      type: 'date',
      required: true,
    })
    expect((await refusal(pb.collections.getList())).status).toBe(403)
    expect((await refusal(admin.collections.create({ name: 'more' }))).status).toBe(403)
  })

  test('send() reaches the custom routes, with query and body', async () => {
    const listed = await pb.send('/api/jobs', { query: { limit: 2, sort: '-created' } })
    expect(listed.map(({ id }: { id: string }) => id)).toEqual([created[44], created[43]])
    expect(await pb.send('/api/jobs', { query: { limit: 1, fields: 'payload.shots' } })).toEqual([
      { payload: { shots: COUNT } },
    ])
    expect((await refusal(pb.send('/api/qpus', { query: { fields: 'name:nosuch(1)' } }))).status).toBe(400)
    expect(await pb.send('/api/qpus/kelvin', {})).toMatchObject({ name: 'kelvin', enabled: true })
    const error = await refusal(pb.send('/api/jobs', { method: 'POST', body: { circuits: [] } }))
    expect(error.response['data']).toHaveProperty('circuits')
    expect((await refusal(pb.send('/api/nowhere', {}))).status).toBe(404)
  })

  test('a repeated call cancels the previous one, and calls can be cancelled', async () => {
    const first = refusal(jobs().getList(1, 1))
    const second = jobs().getList(1, 1)
    expect([(await first).isAbort, (await first).status]).toEqual([true, 0])
    expect((await second).items).toHaveLength(1)
    const cancelled = refusal(jobs().getList(1, 1, { requestKey: 'mine' }))
    pb.cancelRequest('mine')
    expect((await cancelled).isAbort).toBe(true)
    const both = [refusal(jobs().getOne(created[0] ?? '')), refusal(jobs().getList(1, 2))]
    pb.cancelAllRequests()
    for (const error of await Promise.all(both)) expect(error.isAbort).toBe(true)
  })

  test('features that this product does not have are refused in the envelope', async () => {
    const refusals = await Promise.all([
      refusal(admin.settings.getAll()),
      refusal(admin.logs.getList()),
      refusal(admin.backups.getFullList()),
      refusal(pb.files.getToken()),
    ])
    for (const error of refusals) {
      expect(error.status).toBe(404)
      expect(error.response['data']).toEqual({})
    }
  })
})
