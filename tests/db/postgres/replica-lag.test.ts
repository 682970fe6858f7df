import { expect, setDefaultTimeout, test } from 'bun:test'
import { silentLog } from '../../../src/base/index.ts'
import { users } from '../../../src/db/collections/users.ts'
import { Lease } from '../../../src/db/postgres/lease/lease.ts'
import { openServerDatabase } from '../../../src/db/postgres/open-database.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { postgresMissing, startServer } from '../../support/postgres/server.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(120_000)
const PATIENCE_MS = 60_000

test.skipIf(postgresMissing !== undefined)(
  'replicaLagBytes() is what the replica has not stored; unknown without one, and to a role that may not see it',
  async () => {
    await using server = await startServer()
    using folder = temporaryFolder()
    await server.run('CREATE ROLE plain LOGIN')
    const at = await server.createDatabase()
    await server.run(`ALTER DATABASE ${at.database} OWNER TO plain`)
    const address = { ...at, user: 'plain' }
    const lease = new Lease({
      server: address,
      address: 'http://north',
      rootCa: 'aa',
      dir: folder.path,
      onStandby: () => undefined,
      onLost: () => undefined,
    })
    const options = { server: address, clock: new FakeClock(), log: silentLog, patienceMs: PATIENCE_MS }
    const db = await openServerDatabase({ ...options, epoch: await lease.led })
    const lag = () => db.shared?.replicaLagBytes()
    expect(await lag()).toBeUndefined()
    await using replica = await server.startReplica()
    const rows = 'SELECT count(*)::int AS n FROM pg_stat_replication'
    await until('the replica to follow', async () => (await server.run(rows))[0]?.['n'] === 1)
    expect(await lag()).toBeUndefined()
    await server.run('GRANT pg_monitor TO plain')
    await until('the replica to have all', async () => (await lag()) === 0)
    replica.signal('SIGSTOP')
    await db.write('test', (tx) => tx.insert(users, { email: 'ann@example.org' }))
    expect(await lag()).toBeGreaterThan(0)
    replica.signal('SIGCONT')
    await until('the replica to have all', async () => (await lag()) === 0)
    await db.close()
    await lease.release()
  },
)
