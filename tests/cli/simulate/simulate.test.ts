import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { toTimestamp } from '../../../src/base/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { runSvc } from '../../support/executable/service.ts'
import { claimNow, JobLab } from '../../support/server/job-lab.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const simulate = (...args: string[]) => runSvc(['simulate', ...args], { cwd: '/tmp' })

/** A booker with one job of 10 s, behind a job of 10 s of another user. */
let lab: JobLab
let start = 0

beforeAll(async () => {
  lab = await JobLab.open()
  start = lab.clock.now()
  const qpu = await lab.qpu()
  const server = await lab.attach(qpu.driver)
  const [guest, booker] = [await lab.user(), await lab.user()]
  const [start_time, end_time] = [toTimestamp(start), toTimestamp(start + 3_600_000)]
  await lab.db.write('book', (tx) => tx.insert(timeSlots, { booked_by: booker.id, start_time, end_time }))
  for (const user of [guest, booker]) {
    await lab.clock.advance(1_000)
    const { id } = await lab.submit(user)
    await lab.db.write('claim', (tx) => claimNow(tx, id, server))
    await lab.clock.advance(10_000)
    await lab.complete(id)
  }
})

afterAll(async () => lab[Symbol.asyncDispose]())

describe('svc simulate', () => {
  test('compares the recorded schedule with each policy and threshold', async () => {
    const { out, err, status } = await simulate('--from', lab.dir, '--idle-threshold', '0s,30s')
    expect({ err, status }).toEqual({ err: '', status: 0 })
    expect(out).toContain(
      '2 jobs of 2 users on 1 QPU\n2026-01-31 09:00:01.000Z to 2026-01-31 09:00:22.000Z, 1 booking\n',
    )
    const rows = out.split('\n').map((line) => line.split(/ {2,}/))
    const named = rows.filter(([name]) => name !== '').map(([name]) => name)
    expect(named.slice(3, 9)).toEqual(['recorded', 'booked 0', 'booked 30s', 'fifo', 'fair 0', 'fair 30s'])
    expect(rows.find(([name]) => name === 'booked 30s')).toEqual([
      ...['booked 30s', 'booker', '1', '0 ms', '0 ms', '0 ms', '0 ms', '0'],
    ])
  })

  test('prints the same as JSON for programs', async () => {
    const { out } = await simulate('--from', lab.dir, '--policy', 'booked', '--json')
    const [recorded, booked, ...more] = JSON.parse(out).results
    expect(more).toEqual([])
    expect(recorded.policy).toBe('recorded')
    expect(booked).toEqual({
      ...{ policy: 'booked', idle_threshold_ms: 5_000 },
      waits: {
        booker: { jobs: 1, mean_ms: 3_000, p50_ms: 3_000, p90_ms: 3_000, p99_ms: 3_000, never: 0 },
        others: { jobs: 1, mean_ms: 4_000, p50_ms: 4_000, p90_ms: 4_000, p99_ms: 4_000, never: 0 },
      },
      utilization: { qpu_1: 17 / 21 },
    })
  })

  test('reports wrong calls and recordings without jobs', async () => {
    using folder = temporaryFolder()
    const refused = async (...args: string[]) => {
      const { err, out, status } = await simulate(...args)
      expect(out).toBe('')
      return `${status} ${err.trim()}`
    }
    const from = ['--from', lab.dir]
    expect(await refused('--dir', folder.path)).toBe(
      `1 There is no svc.db in ${folder.path}; name a data folder by --dir, a file by --from or a server by --database`,
    )
    expect(await refused('--from', join(folder.path, 'none'))).toBe(`1 There is no file ${folder.path}/none`)
    expect(await refused(...from, '--policy', 'best')).toBe(
      '2 svc simulate: --policy: bad value "best"; expected one of booked, fifo, fair; see svc simulate --help',
    )
    expect(await refused(...from, '--idle-threshold', '5')).toStartWith(
      '2 svc simulate: --idle-threshold: bad value "5"; expected a duration',
    )
    expect(await refused(...from, '--since', 'today')).toStartWith(
      '2 svc simulate: --since: bad value "today"; expected a time',
    )
    expect(await refused(...from, '--since', '2027-01-01')).toBe(
      `1 ${lab.dir} has no jobs since 2027-01-01 00:00:00.000Z; there is nothing to simulate`,
    )
  })
})
