import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { notifications } from '../../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../../src/db/store/bookings/index.ts'
import { quantumJobs } from '../../../../src/db/store/jobs/index.ts'
import { events } from '../../../../src/db/store/readings/index.ts'
import { ended } from '../../../support/ended-job.ts'
import {
  openTestServer,
  type TestAccount,
  type TestQpu,
  type TestServer,
} from '../../../support/server/server.ts'

let server: TestServer
let [ada, bob]: TestAccount[] = []
let qpu: TestQpu
const accounts = () => {
  if (!ada || !bob) throw new Error('not opened')
  return { ada, bob }
}

beforeAll(async () => {
  server = await openTestServer()
  ;[ada, bob] = [await server.createUser({ username: 'ada' }), await server.createUser({ username: 'bob' })]
  qpu = await server.createQpu('north')
  const owners = [accounts().ada.id, accounts().bob.id]
  await server.db.write('seed', (tx) => {
    for (let at = 0; at < 6; at += 1) {
      const owner = owners[at % 2] ?? ''
      tx.insert(quantumJobs, { user_id: owner, qpu_target: qpu.id, payload: { n: at }, ...ended() })
      tx.insert(timeSlots, {
        booked_by: owner,
        start_time: `2030-01-0${at + 1} 10:00:00.000Z`,
        end_time: `2030-01-0${at + 1} 11:00:00.000Z`,
        qpu: at < 4 ? qpu.id : '',
      })
    }
    tx.insert(events, { source: 'd', type: 'Reading', payload: { t: 1 }, ts: '2026-01-01T00:00:00.000Z' })
  })
})
afterAll(() => server[Symbol.asyncDispose]())

const records = (name: string, query = '') => `/api/collections/${name}/records${query}`
const numbers = (items: unknown) =>
  (Array.isArray(items) ? items : []).map((job: { payload: { n: number } }) => job.payload.n)
const filterOf = (text: string) => `filter=${encodeURIComponent(text)}`

describe('GET …/records', () => {
  test('is a page with totals, in the order of insertion, of records with their collection', async () => {
    const { status, body } = await server.guest.get(records('quantum_jobs'))
    expect(status).toBe(200)
    expect(body).toMatchObject({ page: 1, perPage: 30, totalItems: 6, totalPages: 1 })
    expect(numbers(Object(body)['items'])).toEqual([0, 1, 2, 3, 4, 5])
    expect(Object(body)['items'][0]).toMatchObject({ collectionName: 'quantum_jobs', error: null })
  })

  test('continues after a record, without totals', async () => {
    const first = await server.guest.get(records('quantum_jobs', '?sort=-created&perPage=4'))
    const [, , , last] = Object(first.get('items'))
    const next = await server.guest.get(records('quantum_jobs', `?sort=-created&perPage=4&after=${last.id}`))
    expect(next.body).toMatchObject({ page: 1, perPage: 4, totalItems: -1, totalPages: -1 })
    expect(numbers(first.get('items'))).toEqual([5, 4, 3, 2])
    expect(numbers(next.get('items'))).toEqual([1, 0])
    for (const query of [
      `after=${last.id}&page=2`,
      'after=absent',
      `after=${last.id}&sort=user_id.username`,
    ]) {
      const refused = await server.guest.get(records('quantum_jobs', `?${query}`))
      expect([query, refused.status]).toEqual([query, 400])
      expect(refused.text('message')).toMatch(/ after\b/)
    }
  })

  test('does not continue after a record that the caller does not see', async () => {
    const slots = (account: TestAccount, query = '') =>
      server.as(account).get(records('time_slots', `?sort=start_time${query}`))
    const own = async (account: TestAccount) => Object((await slots(account)).get('items'))[0].id
    const { ada, bob } = accounts()
    expect((await slots(ada, `&after=${await own(ada)}`)).status).toBe(200)
    const other = await own(bob)
    expect((await slots(ada, `&after=${other}`)).text('message')).toBe(
      `There is no record "${other}" to continue after; set after to the id of the last record received.`,
    )
  })

  test('is paged, and omits the totals on request', async () => {
    const second = await server.guest.get(records('quantum_jobs', '?page=2&perPage=4'))
    expect(second.body).toMatchObject({ page: 2, perPage: 4, totalItems: 6, totalPages: 2 })
    expect(numbers(second.get('items'))).toEqual([4, 5])
    const beyond = await server.guest.get(records('quantum_jobs', '?page=9&perPage=2000&skipTotal=1'))
    expect(beyond.body).toEqual({ page: 9, perPage: 1000, totalItems: -1, totalPages: -1, items: [] })
  })

  test('filters and sorts', async () => {
    const filter = filterOf(`payload.n > 1 && user_id = '${accounts().ada.id}'`)
    const list = `?${filter}&sort=-payload.n`
    const response = await server.as(accounts().ada).get(records('quantum_jobs', list))
    expect(numbers(response.get('items'))).toEqual([4, 2])
    expect(numbers((await server.admin.get(records('quantum_jobs', list))).get('items'))).toEqual([4, 2])
  })

  test('programs and results are searched by their owner and by superusers only', async () => {
    const list = (client: TestServer['guest'], filter: string, more = '') =>
      client.get(records('quantum_jobs', `?${filterOf(filter)}${more}`))
    const guest = await list(server.guest, 'payload.n = 0')
    expect([guest.status, guest.get('code')]).toEqual([400, 'bad_filter'])
    expect(guest.text('message')).toMatch(/Only the owner .* and superusers can filter by payload/)
    const bob = server.as(accounts().bob)
    for (const filter of [
      'payload.n = 2',
      'payload != "x" && payload.n = 2',
      'payload ~ "2" && payload.n = 2',
    ]) {
      expect([filter, numbers((await list(bob, filter)).get('items'))]).toEqual([filter, []])
      const own = await list(server.as(accounts().ada), filter)
      expect([filter, numbers(own.get('items'))]).toEqual([filter, [2]])
    }
    const negated = numbers((await list(bob, 'payload.n != 1 || id = ""')).get('items'))
    expect(negated).not.toContain(2)
    const report = await bob.get(records('calibration_results', `?${filterOf('notes ~ "x"')}`))
    expect(report.text('message')).toMatch(/Only superusers can filter by notes/)
  })

  test('reads large values a few times only', async () => {
    const find = (count: number) => {
      const terms = Array.from({ length: count }, (_, at) => `payload.n = ${at}`)
      return server.admin.get(records('quantum_jobs', `?${filterOf(terms.join(' || '))}&skipTotal=1`))
    }
    expect((await find(8)).status).toBe(200)
    const refused = await find(9)
    expect([refused.status, refused.get('code')]).toEqual([400, 'bad_filter'])
    expect(refused.text('message')).toMatch(/more than 8 times/)
  })

  test('texts to search for are short, with few wildcards', async () => {
    const find = (...texts: string[]) => {
      const terms = texts.map((text) => `error_code ~ "${text}"`).join(' || ')
      return server.admin.get(records('quantum_jobs', `?${filterOf(terms)}`))
    }
    const [long, wild] = ['x'.repeat(250), '%a'.repeat(8)]
    expect((await find(long)).status).toBe(200)
    expect((await find(`${long}x`)).text('message')).toMatch(/251 characters; at most 250/)
    expect((await find(wild)).status).toBe(200)
    expect((await find(`${wild}%`)).text('message')).toMatch(/9 wildcards %; at most 8/)
    expect((await find(...Array.from({ length: 4 }, () => long))).status).toBe(200)
    const sum = await find(...Array.from({ length: 63 }, () => 'x'))
    expect(sum.text('message')).toMatch(/63 texts .* 1008 characters together.*at most 1000/)
    expect((await find(...Array.from({ length: 62 }, () => 'x'))).status).toBe(200)
  })

  test('is not sorted by values of megabytes', async () => {
    for (const sort of ['payload', '-results']) {
      const response = await server.admin.get(records('quantum_jobs', `?sort=${sort}`))
      expect([response.status, response.get('code')]).toEqual([400, 'bad_filter'])
      expect(response.text('message')).toMatch(/cannot be sorted by .*; sort by created/)
    }
  })

  test('expands only records visible to the caller', async () => {
    const job = async (client: TestServer['guest']) => {
      const query = `?${filterOf(`user_id = '${accounts().ada.id}'`)}&sort=created&expand=qpu_target,user_id,nonsense`
      const [first] = Object((await client.get(records('quantum_jobs', query))).get('items'))
      return first.expand
    }
    expect(await job(server.guest)).toEqual({ qpu_target: expect.objectContaining({ name: 'north' }) })
    const own = await job(server.as(accounts().ada))
    expect(own.user_id).toMatchObject({ id: accounts().ada.id, email: accounts().ada.email })
    expect(Object.keys(await job(server.as(accounts().bob)))).toEqual(['qpu_target'])
    const all = await job(server.admin)
    expect(all.qpu_target.access_token).toMatch(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(all)).not.toMatch(/argon2|tokenKey/)
  })

  test('expands back relations', async () => {
    const response = await server.admin.get(
      records('users', `?${filterOf(`id = '${accounts().ada.id}'`)}&expand=time_slots_via_booked_by.qpu`),
    )
    const [user] = Object(response.get('items'))
    const slots = user.expand.time_slots_via_booked_by
    expect(slots).toHaveLength(3)
    expect(slots[0].expand.qpu.name).toBe('north')
  })

  test('returns only the requested fields, and the envelope', async () => {
    const response = await server.guest.get(
      records('quantum_jobs', '?perPage=1&expand=qpu_target&fields=payload.n,expand.qpu_target.name'),
    )
    expect(response.body).toEqual({
      ...{ page: 1, perPage: 1, totalItems: 6, totalPages: 6 },
      items: [{ payload: { n: 0 }, expand: { qpu_target: { name: 'north' } } }],
    })
  })

  test('does not read programs and results that the response omits', async () => {
    await using lab = await openTestServer()
    const megabytes = 'x'.repeat(2.5 * 1024 * 1024)
    await lab.db.write('seed', (tx) => {
      for (let at = 0; at < 4; at += 1) {
        const results = { error: 'no helium', megabytes }
        tx.insert(quantumJobs, {
          payload: { n: at },
          results,
          ...ended(),
          status: 'failed',
          error_code: 'device',
        })
      }
    })
    const list = (query: string) => lab.guest.get(records('quantum_jobs', query))
    const ofAll = { totalItems: 4, perPage: 1_000 }
    for (const fields of ['id,status', 'payload.n', 'collectionName,expand.user_id.email']) {
      const response = await list(`?perPage=1000&fields=${fields}`)
      expect([fields, response.status, response.body]).toEqual([fields, 200, expect.objectContaining(ofAll)])
    }
    expect((await list('?perPage=1000&fields=payload.n')).get('items')).toEqual(
      [0, 1, 2, 3].map((n) => ({ payload: { n } })),
    )
    for (const query of ['', '&fields=*', '&fields=id,results.error', '&fields=error']) {
      const response = await list(`?perPage=1000${query}`)
      expect([query, response.status, response.get('code')]).toEqual([query, 413, 'page_too_large'])
      expect(response.text('message')).toContain('ask for fewer with perPage')
    }
    const owner = await lab.createUser()
    await lab.db.write('give', (tx) => {
      for (const { id } of tx.list(quantumJobs)) tx.update(quantumJobs, id, { user_id: owner.id })
    })
    const own = await lab.as(owner).get('/api/jobs')
    expect([own.status, own.get('code')]).toEqual([413, 'page_too_large'])
    expect(own.text('message')).toContain('ask for fewer with limit')
    expect((await lab.as(owner).get('/api/jobs?limit=3')).status).toBe(200)
    const picked = await lab.as(owner).get('/api/jobs?fields=payload.n,status')
    expect(picked.body).toEqual([3, 2, 1, 0].map((n) => ({ payload: { n }, status: 'failed' })))
    expect((await lab.as(owner).get('/api/jobs?fields=error')).status).toBe(413)
    const qpu = await lab.createQpu('north')
    await lab.db.write('move', (tx) => {
      for (const { id } of tx.list(quantumJobs)) tx.update(quantumJobs, id, { qpu_target: qpu.id })
    })
    const expanded = await lab.guest.get(
      records(
        'qpus',
        '?expand=quantum_jobs_via_qpu_target&fields=expand.quantum_jobs_via_qpu_target.payload',
      ),
    )
    expect(expanded.get('items')).toEqual([
      { expand: { quantum_jobs_via_qpu_target: [0].map((n) => ({ payload: { n } })) } },
    ])
    const few = await list('?perPage=3&page=2&fields=error')
    expect(few.get('items')).toEqual([{ error: { code: 'device', message: 'no helium' } }])
    const file = await lab.admin.get(records('quantum_jobs', '?format=csv&fields=id'))
    expect(file.status).toBe(200)
  })

  test('accepts the id of a collection instead of its name', async () => {
    const users = await server.admin.get(records('_pb_users_auth_'))
    expect(users.get('totalItems')).toBe(2)
    expect((await server.admin.get(records('pbc_3142635823'))).get('totalItems')).toBe(1)
  })

  for (const [what, path, status, message, as] of [
    ['an unknown collection', records('nothing'), 404, 'Missing collection context.', 'guest'],
    [
      'a table name in place of a public name',
      records('superusers'),
      404,
      'Missing collection context.',
      'guest',
    ],
    ['a closed rule', records('api_tokens'), 403, 'Only superusers can perform this action.', 'user'],
    [
      'a request in the filter',
      records('qpus', `?${filterOf("@request.auth.id = ''")}`),
      403,
      'Only superusers can filter by @request.',
      'user',
    ],
    ['a bad page', records('qpus', '?page=x'), 400, 'Page is "x"; it must be a whole number.', 'guest'],
    ['a bad switch', records('qpus', '?skipTotal=maybe'), 400, /^SkipTotal is "maybe"/, 'guest'],
    ['an invalid filter', records('qpus', `?${filterOf('name ==')}`), 400, /./, 'guest'],
    ['an unknown field', records('qpus', `?${filterOf('nonsense = 1')}`), 400, /nonsense/, 'guest'],
    ['a hidden field', records('qpus', `?${filterOf("access_token != ''")}`), 400, /./, 'user'],
    ['an unknown sort key', records('qpus', '?sort=nonsense'), 400, /nonsense/, 'guest'],
  ] as const) {
    test(`refuses ${what} with ${status}`, async () => {
      const client = as === 'guest' ? server.guest : server.as(accounts().ada)
      const response = await client.get(path)
      expect([response.status, response.get('data')]).toEqual([status, {}])
      expect(response.text('message')).toMatch(message)
    })
  }

  test('an expired token makes the caller a guest instead of 401', async () => {
    expect((await server.as({ token: 'x.y.z' }).get(records('users'))).body).toMatchObject({ totalItems: 0 })
  })

  test('hidden fields are visible to superusers only, internal ones to no caller', async () => {
    const drivers = async (client: TestServer['guest']) => (await client.get(records('drivers'))).get('items')
    expect(JSON.stringify(await drivers(server.as(accounts().ada)))).not.toContain('"token"')
    expect(JSON.stringify(await drivers(server.admin))).toContain('"token"')
    expect(JSON.stringify((await server.admin.get(records('quantum_jobs'))).body)).not.toContain('not_before')
  })
})

describe('GET …/records/:id', () => {
  test('returns records visible by the view rule, 404 otherwise', async () => {
    const [slot] = Object((await server.as(accounts().ada).get(records('time_slots'))).get('items'))
    const path = `${records('time_slots')}/${slot.id}`
    expect((await server.as(accounts().ada).get(`${path}?fields=id`)).body).toEqual({ id: slot.id })
    for (const client of [server.guest, server.as(accounts().bob)]) {
      const response = await client.get(path)
      expect(response.body).toMatchObject({ status: 404, message: "The requested resource wasn't found." })
    }
    expect((await server.admin.get(path)).status).toBe(200)
  })

  test('includes the computed values of a QPU', async () => {
    expect((await server.guest.get(`${records('qpus')}/${qpu.id}`)).body).toMatchObject({
      calibrating: false,
      reason: { code: 'offline', text: 'offline' },
    })
  })
})

describe('visibility of notifications', () => {
  test('broadcast or targeted, in its window, not dismissed', async () => {
    const { ada, bob } = accounts()
    const [past, future] = ['2001-01-01 00:00:00.000Z', '2101-01-01 00:00:00.000Z']
    await server.db.write('seed', (tx) => {
      const add = (title: string, more: object = {}) => tx.insert(notifications, { title, ...more })
      add('all')
      add('ada', { target_users: [ada.id] })
      add('bob', { target_users: [bob.id] })
      add('ended', { end_time: past })
      add('not yet', { start_time: future })
      add('now', { start_time: past, end_time: future })
      add('dismissed by ada', { dismissed_by: [ada.id] })
      add('dismissed by both', { dismissed_by: [bob.id, ada.id] })
    })
    const titles = async (client: TestServer['guest']) =>
      Object((await client.get(records('notifications', '?sort=title'))).get('items')).map(
        ({ title }: { title: string }) => title,
      )
    expect(await titles(server.guest)).toEqual([])
    expect(await titles(server.as(ada))).toEqual(['ada', 'all', 'now'])
    expect(await titles(server.as(bob))).toEqual(['all', 'bob', 'dismissed by ada', 'now'])
    expect(await titles(server.admin)).toHaveLength(8)
  })
})

test('settings rename collections and hide the jobs of others', async () => {
  await using other = await openTestServer({
    settings: { jobsCollection: 'tasks', jobsVisibility: 'owner', qpusCollection: 'machines' },
  })
  const [one, two] = [await other.createUser(), await other.createUser()]
  const machine = await other.createQpu('south')
  const add = (user_id: string) =>
    other.db.write('seed', (tx) =>
      tx.insert(quantumJobs, { user_id, qpu_target: machine.id, payload: {}, ...ended() }),
    )
  const [own] = [await add(one.id), await add(two.id), await add('')]
  expect((await other.guest.get(records('quantum_jobs'))).text('message')).toBe('Missing collection context.')
  const seen = async (client: TestServer['guest']) => (await client.get(records('tasks'))).get('totalItems')
  expect([await seen(other.guest), await seen(other.as(one)), await seen(other.admin)]).toEqual([0, 1, 3])
  expect((await other.as(two).get(`${records('tasks')}/${own.id}`)).status).toBe(404)
  const shown = await other.as(one).get(`${records('tasks')}/${own.id}?expand=qpu_target`)
  expect(shown.body).toMatchObject({
    collectionName: 'tasks',
    expand: { qpu_target: { collectionName: 'machines' } },
  })
  // The rule applies to joins through another collection as well.
  const back = await other.as(one).get(`${records('machines')}/${machine.id}?expand=tasks_via_qpu_target`)
  expect(Object(back.get('expand')).tasks_via_qpu_target).toHaveLength(1)
})
