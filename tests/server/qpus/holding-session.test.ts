import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { qpus } from '../../../src/db/store/qpus/index.ts'
import { sessions } from '../../../src/db/store/sessions/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openTestServer } from '../../support/server/server.ts'

const NOON = Date.UTC(2026, 5, 10, 12)
const at = (minutes: number) => toTimestamp(NOON + minutes * 60_000)

/** Sessions of two users on two QPUs: one that is active, one that is paused, and one that has ended. */
async function openWithSessions() {
  const clock = new FakeClock()
  await clock.advance(NOON - clock.now())
  const server = await openTestServer({ clock })
  const [ada, bob] = [await server.createUser({ username: 'ada' }), await server.createUser()]
  const [north, south] = [await server.createQpu('north'), await server.createQpu('south')]
  const common = { seconds: 3_600, idle_seconds: 600, holders_end: at(60) }
  await server.db.write('t', (tx) => {
    for (const { id } of [north, south]) tx.update(qpus, id, { status: 'online' })
    tx.insert(sessions, {
      ...common,
      qpu: north.id,
      user: ada.id,
      state: 'active',
      activated_at: at(-5),
      active_since: at(-5),
      ends_at: at(55),
    })
    tx.insert(sessions, {
      ...common,
      qpu: south.id,
      user: ada.id,
      mode: 'batch',
      state: 'paused',
      paused_by: 'idle',
      activated_at: at(-20),
      stopped_at: at(-10),
      ends_at: at(40),
    })
    tx.insert(sessions, {
      ...common,
      qpu: north.id,
      user: bob.id,
      state: 'closed',
      activated_at: at(-90),
      held_to: at(-70),
      stopped_at: at(-60),
      ends_at: at(-30),
    })
    tx.insert(sessions, { ...common, qpu: north.id, user: bob.id, state: 'queued' })
  })
  return { server, ada, bob, north, south }
}

type Opened = Awaited<ReturnType<typeof openWithSessions>>

test('the session whose jobs go first is shown without its user, with since when it is idle', async () => {
  const { server, ada, bob } = await openWithSessions()
  await using _ = server
  const sessionOf = async (client: Opened['server']['guest'], name: string) =>
    (await client.get(`/api/qpus/${name}`)).get('session')
  const north = {
    mine: false,
    mode: 'exclusive',
    state: 'active',
    until: at(55),
    idle_seconds: 600,
    idle_since: at(-5),
  }
  expect(await sessionOf(server.as(bob), 'north')).toEqual({ id: null, ...north })
  expect(await sessionOf(server.guest, 'north')).toEqual({ id: null, ...north })
  expect(await sessionOf(server.as(ada), 'north')).toEqual({ ...north, id: expect.any(String), mine: true })
  expect(await sessionOf(server.admin, 'north')).toMatchObject({ user: ada.id, username: 'ada' })
  expect(await sessionOf(server.as(ada), 'south')).toMatchObject({ state: 'paused', idle_since: '' })
})

test('the schedule has sessions from their first activation to the last time that they were held', async () => {
  const { server, ada, bob, north, south } = await openWithSessions()
  await using _ = server
  const schedule = (from: number, to: number) =>
    `/api/schedule?from=${encodeURIComponent(at(from))}&to=${encodeURIComponent(at(to))}`
  const busy = async (client: Opened['server']['guest'], from = -120, to = 120) =>
    (await client.get(schedule(from, to))).get('busy')
  const ended = { qpu: north.id, kind: 'session', start: at(-90), end: at(-70), mine: false }
  const paused = { qpu: south.id, kind: 'batch_session', start: at(-20), end: at(-10), mine: false }
  const active = { qpu: north.id, kind: 'session', start: at(-5), end: at(55), mine: false }
  expect(await busy(server.guest)).toEqual([ended, paused, active])
  expect(await busy(server.as(bob))).toEqual([{ ...ended, mine: true }, paused, active])
  expect(await busy(server.as(ada), -15, 0)).toEqual([
    { ...paused, mine: true },
    { ...active, mine: true },
  ])
  expect(await busy(server.guest, -69, -21)).toEqual([])
})
