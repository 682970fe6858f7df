import { expect, test } from 'bun:test'
import { DAY_MS } from '../../../src/base/index.ts'
import { checkInvariants } from '../../../src/db/index.ts'
import { pruneSessions } from '../../../src/db/store/maintenance/index.ts'
import { closeSession, endHolder, readHolder, sessions } from '../../../src/db/store/sessions/index.ts'
import { openTestServer } from '../../support/server/server.ts'
import { listenAs } from '../../support/server/subscriptions.ts'
import { SessionLab } from '../../support/sessions/session-lab.ts'
import { until } from '../../support/until.ts'

test('ended sessions are pruned with their holders; what they cost stays, and open ones do', async () => {
  await using lab = await SessionLab.open()
  const { db, clock } = lab.lab
  const [ended, open] = [await lab.start(lab.ada), await lab.start(lab.bob)]
  await lab.pass()
  await lab.pass(5)
  await db.write('end', (tx) => closeSession(tx, ended.session.id, { end: 'ended', rate: 1 }))
  const count = (table: string) =>
    db.read((tx) => tx.one<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n)
  expect(await db.write('early', (tx) => pruneSessions(tx, clock.now() - 1, 10))).toBe(0)
  expect(await db.write('prune', (tx) => pruneSessions(tx, clock.now() + 1, 10))).toBe(1)
  expect([await count('sessions'), await count('session_holders')]).toEqual([1, 1])
  expect(await db.read((tx) => tx.find(sessions, open.session.id)?.id)).toBe(open.session.id)
  expect(await lab.paid(lab.ada)).toBe(5_000)
})

test('doctor finds a session whose charges are not in the ledger', async () => {
  await using lab = await SessionLab.open()
  const { db } = lab.lab
  const held = await lab.start(lab.ada)
  await lab.pass()
  await lab.pass(5)
  await db.write('end', (tx) => endHolder(tx, held.holder, 1))
  const change = (by: number) =>
    db.write('change', (tx) =>
      tx.run('UPDATE sessions SET held_ms = held_ms + $by WHERE id = $id', { by, id: held.session.id }),
    )
  await change(1)
  expect(await db.read((tx) => checkInvariants(tx))).toMatchObject([
    { id: 'I18', rows: [{ id: held.session.id }] },
  ])
  await change(-1)
})

test('the secret of a holder reads for 24 hours after its end, and no longer', async () => {
  await using lab = await SessionLab.open()
  const { db, clock } = lab.lab
  const held = await lab.start(lab.ada)
  await db.write('end', (tx) => endHolder(tx, held.holder, 1))
  const access = await db.read((tx) => readHolder(tx, held.holder.id))
  expect(access).toMatchObject({ isOpen: false, readableUntil: clock.now() + DAY_MS })
})

test('the owner and superusers receive the changes of a session, and the audit names who made them', async () => {
  await using server = await openTestServer()
  const { name } = await server.createQpu()
  const [user, other] = [await server.createUser({ qpuSeconds: 1_000 }), await server.createUser()]
  const streams = await Promise.all(
    [server.as(user), server.admin, server.as(other)].map((each) => listenAs(each, 'sessions/*', 'qpus/*')),
  )
  const started = await server.as(user).post('/api/sessions', { qpu_target: name, seconds: 600 })
  const path = `/api/sessions/${started.text('id')}`
  await server.as(user).patch(path, { seconds: 900 })
  await server.admin.call('DELETE', `${path}?reason=cooling`)
  await server.createQpu()
  await until('the QPU', () => streams.every((each) => each.of('qpus/*').length > 0))
  const seen = streams.map((each) => each.of('sessions/*').length)
  expect([seen[0], seen[1], seen[2]]).toEqual([seen[1], expect.any(Number), 0])
  expect(seen[0]).toBeGreaterThan(2)
  const audit = await server.admin.get(`/api/op/audit?subject=${started.text('id')}`)
  const entries = Object(audit.body).entries as { action: string; actor: string; detail: object }[]
  expect(entries.map(({ action, actor }) => `${action} ${actor.split(':')[0]}`).reverse()).toEqual([
    'session.start user',
    'session.extend user',
    'session.end superuser',
  ])
  expect(entries[0]?.detail).toMatchObject({ reason: 'cooling', user: user.id })
})
