import { expect, test } from 'bun:test'
import { isIP } from 'node:net'
import { toTimestamp, workingFor } from '../../../src/base/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { calibrationRequests } from '../../../src/db/store/calibrations/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { StatementCounter } from '../../support/costs/count.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { openTestServer, type TestServer } from '../../support/server/server.ts'

const NOON = Date.UTC(2026, 5, 10, 12)
const at = (hours: number) => toTimestamp(NOON + hours * 3_600_000)

async function openAtNoon(settings: Record<string, string> = {}) {
  const clock = new FakeClock()
  await clock.advance(NOON - clock.now())
  const server = await openTestServer({ clock, settings })
  const [one, other] = [await server.createUser({ username: 'ada' }), await server.createUser()]
  return {
    server,
    one,
    other,
    north: await server.createQpu('north'),
    south: await server.createQpu('south'),
  }
}

type Client = TestServer['guest']
const views = async (client: Client, ...fields: string[]) => {
  const list = (await client.get('/api/qpus?sort=name')).body as Record<string, unknown>[]
  const single = (await client.get('/api/qpus/north')).body as Record<string, unknown>
  expect(single).toMatchObject(list[0] ?? {})
  return list.map((qpu) => Object.fromEntries(fields.map((field) => [field, qpu[field]])))
}

test('the holder of a QPU is named to superusers only, and the next free time follows all bookings', async () => {
  const { server, one, other, north } = await openAtNoon()
  await using _ = server
  await server.db.write('t', (tx) => {
    tx.insert(timeSlots, { start_time: at(-1), end_time: at(1), booked_by: one.id, qpu: north.id })
    tx.insert(timeSlots, { start_time: at(1), end_time: at(2), booked_by: other.id })
    tx.insert(timeSlots, { start_time: at(3), end_time: at(4), booked_by: other.id, qpu: north.id })
  })
  const free = { holder: null, next_free: at(0) }
  const held = (mine: boolean) => ({ holder: { mine, until: at(1) }, next_free: at(2) })
  expect(await views(server.guest, 'holder', 'next_free')).toEqual([held(false), free])
  expect(await views(server.as(one), 'holder', 'next_free')).toEqual([held(true), free])
  expect(await views(server.as(other), 'holder', 'next_free')).toEqual([held(false), free])
  expect(await views(server.admin, 'holder')).toEqual([
    { holder: { mine: false, until: at(1), user: one.id, username: 'ada', email: one.email } },
    { holder: null },
  ])
})

/** Queues three jobs, one of them for any QPU, and marks a fourth as running on the first QPU. */
async function addJobs({ server, one, north }: Awaited<ReturnType<typeof openAtNoon>>) {
  return server.db.write('t', (tx) => {
    const add = (target: string, status: 'pending' | 'running') =>
      tx.insert(quantumJobs, { user_id: one.id, qpu_target: target, status, attempt: 1, payload: {} }).id
    add(north.id, 'pending')
    add(north.id, 'pending')
    add('', 'pending')
    const running = add(north.id, 'running')
    tx.run('UPDATE quantum_jobs SET qpu = $qpu, claimed_at = $at WHERE id = $running', {
      running,
      qpu: north.id,
      at: tx.at,
    })
    return running
  })
}

test('the queue counts jobs for this QPU and for any', async () => {
  const lab = await openAtNoon()
  await using _ = lab.server
  await addJobs(lab)
  expect(await views(lab.server.guest, 'queue_length')).toEqual([{ queue_length: 3 }, { queue_length: 1 }])
})

test('the running job is identified only to those who may read it', async () => {
  for (const jobsVisibility of ['public', 'owner']) {
    const lab = await openAtNoon({ jobsVisibility })
    await using _ = lab.server
    const { server, one, other } = lab
    const id = await addJobs(lab)
    const hidden = jobsVisibility === 'owner' ? null : id
    const since = expect.any(String)
    const shown = async (client: Client) => (await views(client, 'running_job'))[0]?.['running_job']
    const common = { name: '', since, expected_end: '' }
    const nobody = { id: hidden, mine: false, ...common }
    expect(await shown(server.guest)).toEqual(nobody)
    expect(await shown(server.as(other))).toEqual(nobody)
    expect(await shown(server.as(one))).toEqual({ id, mine: true, ...common })
    const owner = { user: one.id, email: one.email }
    expect(await shown(server.admin)).toEqual({ id, mine: false, ...common, ...owner })
  }
})

test('the running job has the longest time of its estimate, unless nothing was measured', async () => {
  const lab = await openAtNoon()
  await using _ = lab.server
  await addJobs(lab)
  const ends: unknown[] = []
  for (const basis of ['assumed', 'recent_jobs']) {
    await lab.server.db.write('t', (tx) =>
      tx.run('UPDATE quantum_jobs SET quote_basis = $basis, quote_run_to = 90000', { basis }),
    )
    ends.push((await views(lab.server.guest, 'running_job'))[0]?.['running_job'])
  }
  expect(ends).toMatchObject([{ expected_end: '' }, { expected_end: at(0.025) }])
})

test('the queue lists jobs in their order, those of others without their names', async () => {
  const lab = await openAtNoon({ jobsVisibility: 'owner' })
  await using _ = lab.server
  const { server, one, other, north, south } = lab
  const ids = await server.db.write('t', (tx) => {
    const add = (user: string, name: string, target: string, more: object = {}) =>
      tx.insert(quantumJobs, { user_id: user, name, qpu_target: target, payload: {}, shots: 10, ...more }).id
    add(one.id, 'elsewhere', south.id)
    add(one.id, 'held', north.id, { held: true })
    const second = add(one.id, 'first submitted', north.id)
    const third = add(one.id, 'anywhere', '')
    tx.insert(timeSlots, { start_time: at(-1), end_time: at(1), booked_by: other.id, qpu: north.id })
    const first = add(other.id, 'of the booker', north.id)
    const moved = add(one.id, 'moved to the front', north.id, { run_next: 1 })
    return [moved, first, second, third]
  })
  const queueOf = async (client: Client, limit = 20) =>
    (await client.get(`/api/qpus/north/queue?limit=${limit}`)).body as Record<string, unknown>[]
  const [moved, first, second, third] = ids
  expect((await queueOf(server.admin)).map(({ id, email }) => [id, email])).toEqual([
    [moved, one.email],
    [first, other.email],
    [second, one.email],
    [third, one.email],
  ])
  expect((await queueOf(server.as(other))).map(({ id, mine, name }) => [id, mine, name])).toEqual([
    [null, false, ''],
    [first, true, 'of the booker'],
    [null, false, ''],
    [null, false, ''],
  ])
  expect((await queueOf(server.guest, 2)).map(({ id, email }) => [id, email])).toEqual([
    [null, undefined],
    [null, undefined],
  ])
  const starts = async () => (await queueOf(server.guest)).map(({ estimated_start }) => estimated_start)
  expect(await starts()).toEqual([null, null, null, null])
  await server.db.write('t', (tx) => {
    tx.update(qpus, north.id, { status: 'online' })
    tx.run('UPDATE users SET unlimited = 1')
  })
  const estimates = (await starts()) as { from: string; to: string }[]
  for (const { from, to } of estimates) expect(from <= to && at(0) <= from).toBe(true)
  const from = estimates.map((estimate) => estimate.from)
  expect(from).toEqual([...from].sort())
  expect(new Set(from).size).toBe(4)
})

test.skipIf(onlySqlite('its statements'))('the list costs the same for many QPUs as for one', async () => {
  // Those of the guest: tasks of the server may read and write in the middle of a request.
  using counter = new StatementCounter(() => isIP(workingFor() ?? '') > 0)
  await using server = await openTestServer()
  const list = async () => {
    const before = counter.count
    expect((await server.guest.get('/api/qpus')).status).toBe(200)
    expect(counter.count).toBeGreaterThan(before)
    return counter.count - before
  }
  await server.createQpu('first')
  await list()
  const alone = await list()
  for (let at = 0; at < 9; at += 1) await server.createQpu(`qpu_${at}`)
  await list()
  expect(await list()).toBe(alone)
})

test('says when a job submitted now would start, or why nobody can say', async () => {
  const lab = await openAtNoon()
  await using _ = lab.server
  const { server, one, other, north } = lab
  const shown = async (client: Client = server.guest) =>
    (await views(client, 'estimated_start', 'waiting'))[0] as {
      estimated_start: { from: string; to: string } | null
      waiting: { code: string; text: string } | null
    }
  const unknown = (code: string, text: string) => ({ estimated_start: null, waiting: { code, text } })
  const now = { estimated_start: { from: at(0), to: at(0) }, waiting: null }
  expect(await shown()).toMatchObject(unknown('driver_offline', 'north is not connected'))
  const set = (values: object) => server.db.write('t', (tx) => tx.update(qpus, north.id, values))
  await set({ status: 'online' })
  expect(await shown()).toEqual(now)

  await set({ draining: true, drain_reason: 'filter' })
  expect((await shown()).waiting?.code).toBe('draining')
  expect((await shown()).estimated_start).toBeNull()
  await set({ draining: false, drain_reason: '', maintenance: true, maintenance_reason: 'warm' })
  expect((await shown()).waiting?.code).toBe('maintenance')
  await set({ maintenance: false, maintenance_reason: '', enabled: false })
  expect((await shown()).waiting?.code).toBe('qpu_disabled')
  await set({ enabled: true })
  const request = await server.db.write('t', (tx) => {
    const tuner = tx.insert(drivers, { name: 'tuner', operation: 'calibrate', qpu: north.id, token: 't' })
    return tx.insert(calibrationRequests, { driver: tuner.id, mode: 'full', status: 'running' }).id
  })
  expect(await shown()).toMatchObject(unknown('calibrating', 'north is being calibrated'))
  await server.db.write('t', (tx) => tx.update(calibrationRequests, request, { status: 'done' }))
  await set({ status: 'online' })
  expect(await shown()).toEqual(now)

  const add = (count: number) =>
    server.db.write('t', (tx) => {
      for (let index = 0; index < count; index++)
        tx.insert(quantumJobs, { user_id: one.id, qpu_target: north.id, status: 'pending', payload: {} })
    })
  await add(166)
  const queued = await shown()
  expect(queued.waiting).toMatchObject({ code: 'ahead_in_queue', text: '166 jobs are ahead' })
  // Nothing has run there: 1 s to 20 s a job.
  expect(queued.estimated_start).toEqual({ from: at(166 / 3_600), to: at((166 * 20) / 3_600) })

  await server.db.write('t', (tx) =>
    tx.insert(timeSlots, { start_time: at(-1), end_time: at(1), booked_by: other.id, qpu: north.id }),
  )
  // The booker goes first, everybody else waits for the end of the booking or a pause.
  expect(await shown(server.as(other))).toEqual(now)
  expect((await shown()).estimated_start?.from).not.toBe(at(0))
})
