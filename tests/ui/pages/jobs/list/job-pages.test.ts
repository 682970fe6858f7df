import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import fc from 'fast-check'
import type { Job } from '../../../../../ui/api/model/jobs.ts'
import { createJobPages } from '../../../../../ui/pages/jobs/list/job-pages.ts'
import { part } from '../../../../support/whole.ts'

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

  test('changes without end do not keep the list from being loaded', async () => {
    const { pages, reads } = listOf(150)
    pages.load()
    for (let ms = 0; ms < 3_000; ms += 10) {
      pages.refresh()
      await advance(10)
    }
    expect(pages.row(0)?.id).toBe('job0')
    expect(reads.length).toBeGreaterThan(5)
    expect(reads.length).toBeLessThan(15)
    pages.close()
  })

  test('whatever events and scrolling come while requests are in flight, the list becomes a fresh read', () =>
    fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), converges), {
      numRuns: part(3_000, 200),
    }))
})

const step = fc.record({
  act: fc.constantFrom('update', 'update', 'update', 'create', 'remove', 'show'),
  at: fc.nat(250),
  /** Until the next step. */
  pauseMs: fc.constantFrom(0, 1, 20, 60, 200),
  /** Until a read that begins here sees the list, and from then until its response arrives. */
  readMs: fc.tuple(fc.constantFrom(0, 10, 100), fc.constantFrom(0, 10, 100, 300)),
})

const jobOf = (id: string, status: Job['status']) => {
  const job: Partial<Job> = { id, status }
  return job as Job
}

/** The newest jobs come first; each change of the server's list is followed by its event at once. */
async function converges(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) {
  let jobs = Array.from({ length: 150 }, (_, at) => jobOf(`job${at}`, 'pending'))
  let [before, after] = [0, 0]
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  async function snapshot<T>(take: () => T): Promise<T> {
    const rest = after
    await pause(before)
    const taken = take()
    await pause(rest)
    return taken
  }
  const pages = createJobPages({
    read: (skip, limit) => snapshot(() => jobs.slice(skip, skip + limit)),
    count: () => snapshot(() => jobs.length),
  })
  pages.load()
  let window = { from: 0, to: 30 }
  for (const [index, { act, at, pauseMs, readMs }] of steps.entries()) {
    ;[before, after] = readMs
    const job = jobs[at % jobs.length]
    if (act === 'show') {
      window = { from: at % 120, to: (at % 120) + 30 }
      pages.show(window)
    } else if (act === 'update' && job) {
      const changed = jobOf(job.id, `running`)
      changed.attempt = index
      jobs = jobs.map((each) => (each === job ? changed : each))
      if (!pages.change(job.id, changed)) pages.refresh()
    } else {
      jobs =
        act === 'create' ? [jobOf(`new${index}`, 'pending'), ...jobs] : jobs.filter((each) => each !== job)
      pages.refresh()
    }
    await advance(pauseMs)
  }
  for (let ms = 0; ms < 3_000; ms += 50) await advance(50)
  expect(pages.total.value).toBe(jobs.length)
  for (let at = window.from; at < Math.min(window.to, jobs.length); at += 1)
    expect(pages.row(at)).toEqual(jobs[at])
  pages.close()
}
