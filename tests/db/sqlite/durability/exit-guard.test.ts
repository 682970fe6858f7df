import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../../src/base/index.ts'
import { openDatabase } from '../../../../src/db/index.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const CHILD = join(import.meta.dir, 'exit-guard.child.ts')

test.each(['exit', 'throw', 'reject'])(
  'a process that ends by "%s" without closing the database leaves a log that the next start accepts',
  async (how) => {
    using folder = temporaryFolder()
    const child = Bun.spawn([process.execPath, CHILD, folder.path, how], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(await new Response(child.stdout).text()).toBe('acknowledged')
    expect(await child.exited).toBe(1)
    const db = await openDatabase({ dir: folder.path, clock: systemClock, log: silentLog })
    const rows = await db.read((tx) => tx.all(`SELECT key FROM meta WHERE key LIKE '${how} %'`))
    expect(rows.length).toBeGreaterThanOrEqual(20)
    await db.close()
  },
)
