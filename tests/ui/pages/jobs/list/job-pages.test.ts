import { describe, expect, test } from 'bun:test'
import type { Job } from '../../../../../ui/api/model/jobs.ts'
import { createJobPages } from '../../../../../ui/pages/jobs/list/job-pages.ts'
import { until } from '../../../../support/until.ts'

/** A list of 250 jobs whose server takes `ms` for an answer, with the times at which pages were read. */
function listOf(ms: number) {
  const reads: { skip: number; at: number }[] = []
  const pages = createJobPages({
    async read(skip, limit) {
      reads.push({ skip, at: performance.now() })
      await Bun.sleep(ms)
      return Array.from({ length: Math.min(limit, 250 - skip) }, (_, at) => {
        const job: Partial<Job> = { id: `job${skip + at}`, status: 'pending' }
        return job as Job
      })
    },
    count: async () => 250,
  })
  return { pages, reads }
}

describe('the pages of a list of jobs', () => {
  test('those around the screen are loaded, and a change needs none', async () => {
    const { pages, reads } = listOf(1)
    pages.show({ from: 90, to: 120 })
    await until('the rows', () => pages.row(90) && pages.row(119))
    expect(reads.map(({ skip }) => skip)).toEqual([50, 100])
    expect(pages.total.value).toBe(250)
    // Also rows of which the total is not known yet, or that are far down.
    expect(pages.loaded().map(({ id }) => id)).toContain('job149')
    expect(pages.loaded()).toHaveLength(100)
    expect(pages.row(230)).toBeUndefined()
    expect(pages.change('job95', { status: 'completed' })).toBe(true)
    expect(pages.row(95)?.status).toBe('completed')
    expect(pages.change('job230', { status: 'completed' })).toBe(false)
    pages.close()
  })

  test('many changes are one refresh, and the next waits as long as a slow one took', async () => {
    const { pages, reads } = listOf(150)
    pages.show({ from: 0, to: 30 })
    await until('the first rows', () => pages.row(0))
    for (let at = 0; at < 20; at += 1) pages.refresh()
    await until('a refresh', () => reads.length === 2)
    await Bun.sleep(170)
    pages.refresh()
    await until('the next refresh', () => reads.length === 3)
    const [, second, third] = reads
    expect((third?.at ?? 0) - (second?.at ?? 0)).toBeGreaterThan(290)
    pages.close()
  })
})
