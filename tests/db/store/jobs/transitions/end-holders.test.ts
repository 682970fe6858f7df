import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Params } from '../../../../../src/db/engine/sql.ts'
import {
  DUE,
  endDoneHolders,
  hasDoneHolders,
} from '../../../../../src/db/store/jobs/transitions/end-holders.ts'
import { leaveSession, listHolders } from '../../../../../src/db/store/sessions/index.ts'
import { openTestDatabase } from '../../../../support/database.ts'
import { onlySqlite } from '../../../../support/postgres/only-sqlite.ts'
import { SessionLab } from '../../../../support/sessions/session-lab.ts'

test('a holder that leaves ends with the last of its jobs; one that stays needs none', async () => {
  await using lab = await SessionLab.open()
  const long = { seconds: 3_600, idleSeconds: 3_600 }
  const leaver = await lab.start(lab.ada, { ...long, holder: { kind: 'client', name: 'a', endsAt: '' } })
  await lab.start(lab.ada, { ...long, holder: { kind: 'client', name: 'b', endsAt: '' } })
  const open = () =>
    lab.lab.db.write('end', (tx) => {
      const [session, hasDone] = [leaver.session.id, hasDoneHolders(tx)]
      endDoneHolders(tx, 1)
      const holders = listHolders(tx, session).filter((each) => each.ended_at === '')
      return { hasDone, names: holders.map(({ name }) => name).sort() }
    })
  await lab.pass()
  const { id } = await lab.lab.submit(lab.ada, '', 2, { holder: leaver.holder.id })
  await lab.lab.db.write('leave', (tx) => leaveSession(tx, [leaver.holder]))
  expect(await open()).toEqual({ hasDone: false, names: ['a', 'b'] })
  await lab.dispatch()
  expect((await lab.lab.job(id)).status).toBe('running')
  expect(await open()).toEqual({ hasDone: false, names: ['a', 'b'] })
  await lab.lab.complete(id)
  expect(await open()).toEqual({ hasDone: true, names: ['b'] })
  expect(await open()).toEqual({ hasDone: false, names: ['b'] })
})

test.skipIf(onlySqlite('its plans'))(
  'jobs of ended sessions are found without looking at other pending jobs',
  async () => {
    await using opened = await openTestDatabase()
    using file = new Sqlite(join(opened.dir, 'svc.db'), { strict: true })
    const plan = file
      .prepare<{ detail: string }, [Params]>(`EXPLAIN QUERY PLAN ${DUE}`)
      .all({ at: '', limit: 1 })
      .map(({ detail }) => detail)
    expect(plan[0]).toContain('(status=? AND holder>?)')
    expect(plan.filter((detail) => detail.includes('SCAN'))).toEqual([])
  },
)
