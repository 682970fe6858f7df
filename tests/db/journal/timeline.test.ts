import { expect, test } from 'bun:test'
import { appendTimeline, timelineOf } from '../../../src/db/journal/timeline.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openTestDatabase } from '../../support/database.ts'

test('the timeline of a job without a limit of attempts keeps its first and last entries', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const job = await db.write('job', (tx) => tx.insert(quantumJobs, { status: 'pending' }).id)
  const run = (from: number, to: number) =>
    db.write('attempts', (tx) => {
      for (let attempt = from; attempt <= to; attempt += 1) {
        appendTimeline(tx, job, { event: 'claimed', attempt, detail: 'driver 000000000000001' })
        appendTimeline(tx, job, { event: 'lost', attempt, detail: '' })
      }
      return {
        characters: tx.one<{ n: number }>('SELECT length(history) AS n FROM quantum_jobs')?.n ?? 0,
        timeline: tx.read(timelineOf(job)),
      }
    })
  expect((await run(1, 300)).timeline.length).toBe(600)
  const { characters, timeline } = await run(301, 5_000)
  expect(characters).toBeLessThanOrEqual(64 * 1024)
  expect(timeline.slice(0, 100).map(({ attempt }) => attempt)).toEqual(
    Array.from({ length: 100 }, (_, at) => Math.floor(at / 2) + 1),
  )
  expect(timeline.at(-1)).toMatchObject({ event: 'lost', attempt: 5_000 })
  const attempts = timeline.slice(100).map(({ attempt }) => attempt)
  expect(attempts).toEqual(attempts.toSorted((a, b) => a - b))
})
