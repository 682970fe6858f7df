import { describe, expect, test } from 'bun:test'
import { SharedCluster } from '../../../support/cluster/shared-cluster.ts'
import { until } from '../../../support/until.ts'
import { rows } from '../../../support/whole.ts'

const SHOTS = 20
const TIMEOUT_MS = 120_000

const sum = (counts: unknown) => Object.values(counts as Record<string, number>).reduce((a, b) => a + b, 0)

/** `bun bench/cluster/sharing.ts` has the figures of 200 jobs and 20 calibrations. */
describe('a cluster that several processes use', () => {
  test(
    'serves the next driver after one was killed between arming and stopping',
    async () => {
      await using shared = await SharedCluster.start({ scpiVersion: '1.1', reset: '2.0e-4' })
      const { cluster } = shared
      // A run of 20 s: only the kill ends it.
      const killed = await shared.connect('process', 1, 100_000)
      killed.begin()
      await until('the start of the run', () =>
        cluster.log.some(({ text }) => text.endsWith('SEQuencer:START')),
      )
      killed.process.kill('SIGKILL')
      await killed.process.exited
      expect(cluster.sequencers.some(({ sequencer }) => sequencer.config.seq_proc.sync_en)).toBe(true)
      const next = await shared.connect('process', 1, SHOTS)
      next.begin()
      const { lines, status } = await next.ended()
      expect(status).toBe(0)
      expect(lines.map(sum)).toEqual([SHOTS])
      expect(cluster.sequencers.some(({ sequencer }) => sequencer.config.seq_proc.sync_en)).toBe(false)
    },
    TIMEOUT_MS,
  )

  test.each(rows(['1.1', '1.0'], 1))(
    'plays the jobs of one and the calibrations of the other after each other, command set %s',
    async (scpiVersion) => {
      await using shared = await SharedCluster.start({ scpiVersion, reset: '1.0e-6' })
      const users = [
        await shared.connect('process', 10, SHOTS),
        await shared.connect('tuner', 2, SHOTS),
      ] as const
      for (const user of users) user.begin()
      const [jobs, calibrations] = await Promise.all([users[0].ended(), users[1].ended()])
      expect([jobs.status, calibrations.status]).toEqual([0, 0])
      expect(jobs.lines.map(sum)).toEqual(new Array(10).fill(SHOTS))
      expect(calibrations.lines).toHaveLength(2)
      expect(new Set(shared.turns().map(({ user }) => user))).toEqual(new Set(['process', 'tuner']))
      expect(shared.interleaved()).toEqual([])
    },
    TIMEOUT_MS,
  )
})
