import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Service } from '../../support/executable/service.ts'
import { closeRow } from '../../support/faults/fault-runs.ts'
import { createUsers, expectEachOnce, JobLoad } from '../../support/postgres/job-load.ts'
import { postgresMissing } from '../../support/postgres/server.ts'
import { TwoServers } from '../../support/postgres/two-servers.ts'
import { part } from '../../support/whole.ts'

// F29 for longer: two servers share a database for ten minutes under a steady load.
const FAILOVERS = 2
/** From one failover to the next one. */
const REIGN_MS = part(200_000, 10_000)
const RATE = part(32, 50)
/** Each waits for the end of its job; one account may wait for 250. */
const CLIENTS = part(500, 20)
const USERS = part(4, 1)
const QPUS = Array.from({ length: part(20, 4) }, (_, at) => `qpu_${at}`)
/** Of a leader at the end of its time, against that of the first one. */
const MAX_GROWTH_MB = 40

/** Resident memory of a server, MB. */
function memoryOf({ pid }: Service): number {
  const [, kb = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kb) / 1_024
}

describe.skipIf(postgresMissing !== undefined)('F29 two servers share a database for long', () => {
  test(
    'each job is completed and charged once over failovers, and no leader needs more memory than the first one',
    async () => {
      await using both = await TwoServers.start()
      const qpus = new Map<string, Awaited<ReturnType<Service['createQpu']>>>()
      for (const name of QPUS) qpus.set(name, await both.leader.createQpu(name))
      const users = await createUsers(both, USERS)
      await using drivers = new AsyncDisposableStack()
      for (const [name, grant] of qpus) drivers.use(both.startDriver(name, grant))
      await both.untilOnline()
      const [clients, everyMs] = [CLIENTS / USERS, (1_000 * CLIENTS) / RATE]
      const load = new JobLoad(both, users, { clients, everyMs, waits: true })
      const memory: number[] = []
      const takeovers: number[] = []
      for (let reign = 0; reign <= FAILOVERS; reign += 1) {
        await Bun.sleep(REIGN_MS)
        memory.push(memoryOf(both.leader))
        if (reign === FAILOVERS) break
        const { leader } = both
        const isKilled = reign % 2 === 0
        await (isKilled ? leader.stop('SIGKILL') : both.postgres.restart('SIGQUIT'))
        takeovers.push(await both.takeover())
        if (!isKilled) expect(await leader.ended()).toBe(75)
        await both.startStandby()
      }
      const accepted = await load.end()
      await expectEachOnce(both, accepted)
      closeRow('F29 for long', {
        jobs: accepted.size,
        'per second': Math.round((accepted.size / ((FAILOVERS + 1) * REIGN_MS)) * 1_000),
        'takeovers (ms)': takeovers.map(Math.round).join(' and '),
        'memory (MB)': memory.map(Math.round).join(', '),
      })
      const [first = 0] = memory
      expect(Math.max(...memory)).toBeLessThan(first + MAX_GROWTH_MB)
    },
    (FAILOVERS + 1) * REIGN_MS + 1_500_000,
  )
})
