import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import type { Job } from '../../../../../ui/api/model/jobs.ts'
import { createJobPages } from '../../../../../ui/pages/jobs/list/job-pages.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Moves the time and runs what awaits the timers that are due. */
async function advance(ms: number): Promise<void> {
  jest.advanceTimersByTime(ms)
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
}

/** A list of 250 jobs whose server takes `ms` for an answer, with the first row of each read page. */
function listOf(ms: number) {
  const reads: number[] = []
  const pages = createJobPages({
    async read(skip, limit) {
      reads.push(skip)
      await new Promise((resolve) => setTimeout(resolve, ms))
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
    expect(reads).toEqual([])
    pages.load()
    await advance(1)
    expect([pages.row(90)?.id, pages.row(119)?.id]).toEqual(['job90', 'job119'])
    expect(reads).toEqual([50, 100])
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
    pages.load()
    await advance(150)
    for (let at = 0; at < 20; at += 1) pages.refresh()
    await advance(40)
    expect(reads).toEqual([0, 0])
    await advance(150)
    pages.refresh()
    await advance(149)
    expect(reads).toEqual([0, 0])
    await advance(1)
    expect(reads).toEqual([0, 0, 0])
    pages.close()
  })
})
