import { expect, test } from 'bun:test'
import { silentLog, toTimestamp } from '../../../../src/base/index.ts'
import { checkInvariants, openDatabase } from '../../../../src/db/index.ts'
import { listLedger, storedBytesOf, usageStatement } from '../../../../src/db/store/accounts/index.ts'
import { listRecentUse } from '../../../../src/db/store/accounts/recent-use-rows.ts'
import { readQuoteScore } from '../../../../src/db/store/jobs/index.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { onlySqlite } from '../../../support/postgres/only-sqlite.ts'
import { writeEarlierFolder } from '../../../support/sums/folder-82c7c85a.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

test.skipIf(onlySqlite('its file'))(
  'the sums that an earlier version left unwritten are written once, from the same jobs',
  async () => {
    using folder = temporaryFolder()
    const before = writeEarlierFolder(folder.path)
    for (let start = 0; start < 2; start += 1) {
      const db = await openDatabase({ dir: folder.path, clock: new FakeClock(), log: silentLog })
      await db.read((tx) => {
        const every = { from: '', to: '9', user: undefined, qpu: undefined, by: 'month,user,qpu', limit: 100 }
        const { sql, params } = usageStatement(tx, { ...every, by: 'month,user,qpu' })
        expect(tx.all<object>(sql, params)).toEqual(before.usage)
        expect(listRecentUse(tx, 0, Number.MAX_SAFE_INTEGER)).toEqual(before.recent as never)
        const { id } = tx.one<{ id: string }>('SELECT id FROM qpus') ?? { id: '' }
        expect(readQuoteScore(tx, id, toTimestamp(tx.now).slice(0, 7))).toEqual(before.score as never)
        for (const [user, bytes] of Object.entries(before.bytes))
          expect(tx.read(storedBytesOf(user))).toBe(bytes)
        for (const [user, entries] of Object.entries(before.ledger)) {
          const ledger = listLedger(tx, { user, before: Number.MAX_SAFE_INTEGER, limit: 100 })
          const paid = ledger.filter(({ deltaMs }) => deltaMs !== 0)
          expect(paid.map(({ kind, source, deltaMs, at }) => [kind, source, deltaMs, at])).toEqual(
            entries as never,
          )
        }
        const newer = 'SELECT 1 FROM qpu_ledger WHERE rowid > (SELECT position FROM sums_watermark)'
        expect(tx.one(newer)).toBeUndefined()
        expect(checkInvariants(tx)).toEqual([])
      })
      await db.close()
    }
  },
)
