import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { systemClock } from '../../../src/base/index.ts'
import type { ServerAddress } from '../../../src/db/engine/server-address.ts'
import { openServerDatabase } from '../../../src/db/index.ts'
import { recordedLog } from '../../driver/support/logs.ts'
import { postgresMissing, startServer, type TestServer } from '../../support/postgres/server.ts'

const START_MS = 60_000

describe.skipIf(postgresMissing !== undefined)('a server of PostgreSQL that others share', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer()
    await server.run('CREATE ROLE lab LOGIN; CREATE ROLE stranger LOGIN')
  }, START_MS)
  afterAll(() => server?.[Symbol.asyncDispose]())

  async function addressOf(): Promise<ServerAddress> {
    const address = await server.createDatabase()
    await server.run(`ALTER DATABASE ${address.database} OWNER TO lab`)
    return { ...address, user: 'lab' }
  }
  function open(address: ServerAddress) {
    const { log, lines } = recordedLog()
    const db = openServerDatabase({ server: address, clock: systemClock, log, patienceMs: START_MS })
    return { db, lines }
  }

  test('another role that holds the lock is named, with its pid and application', async () => {
    const address = await addressOf()
    const { host, port, database } = address
    const stranger = new SQL({
      url: `postgres://stranger@${host}:${port}/${database}`,
      max: 1,
      connection: { application_name: 'not svc' },
    })
    const [{ pid } = { pid: 0 }] =
      await stranger`SELECT pg_backend_pid() AS pid, pg_advisory_lock(hashtext('svc'))`
    const refusal = `pid ${pid}, role stranger, application not svc`
    await expect(open(address).db).rejects.toThrow(refusal)
    await stranger.close()
    const first = await open(address).db
    await expect(open(address).db).rejects.toThrow(/Another process uses the database \(pid \d+, role lab, /)
    await first.close()
  })

  test('a start warns while PUBLIC may connect', async () => {
    const address = await addressOf()
    const isWarned = async () => {
      const { db, lines } = open(address)
      await (await db).close()
      return JSON.stringify(lines).includes('PUBLIC may connect')
    }
    expect(await isWarned()).toBe(true)
    await server.run(`REVOKE CONNECT ON DATABASE ${address.database} FROM PUBLIC`)
    expect(await isWarned()).toBe(false)
  })

  test('what the role has set otherwise does not hold for sessions of svc', async () => {
    const address = await addressOf()
    const settings = {
      synchronous_commit: 'off',
      default_transaction_read_only: 'on',
      statement_timeout: '1ms',
      idle_in_transaction_session_timeout: '1ms',
    }
    const wanted = { synchronous_commit: 'on', default_transaction_read_only: 'off', statement_timeout: '0' }
    for (const [name, value] of Object.entries(settings))
      await server.run(`ALTER ROLE lab SET ${name} = '${value}'`)
    const db = await open(address).db
    const inForce = await db.write('settings', (tx) =>
      Object.keys(wanted).map((name) => [
        name,
        tx.one<{ value: string }>('SELECT current_setting($name) AS value', { name })?.value,
      ]),
    )
    await db.close()
    expect(Object.fromEntries(inForce)).toEqual(wanted)
    await server.run('ALTER ROLE lab RESET ALL')
  })
})
