import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import fc from 'fast-check'
import type { Job } from '../../../../../ui/api/model/jobs.ts'
import type { LiveEvent } from '../../../../../ui/api/model/live.ts'
import { applyEvent } from '../../../../../ui/pages/jobs/list/apply-event.ts'
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

  test('no change is put over a response that has a later one of a job that was not loaded', async () => {
    let attempt = 0
    const msOf = new Map([
      [0, 10],
      [50, 1_000],
      [100, 3_000],
    ])
    const pages = createJobPages({
      async read(skip) {
        await new Promise((resolve) => setTimeout(resolve, msOf.get(skip)))
        return [{ ...jobOf(`job${skip}`, 0), attempt }]
      },
      count: async () => 250,
    })
    const change = () => {
      attempt += 1
      return pages.change('job0', { attempt })
    }
    pages.show({ from: 20, to: 70 })
    pages.load()
    await advance(1_000)
    pages.refresh()
    await advance(50)
    expect(change()).toBe(true)
    // One page or another is always on its way, and the list is loaded again without the first one.
    pages.show({ from: 110, to: 140 })
    pages.refresh()
    for (let ms = 0; ms < 2_500; ms += 50) await advance(50)
    expect(change()).toBe(false)
    pages.show({ from: 0, to: 30 })
    await advance(10)
    expect(pages.row(0)?.attempt).toBe(2)
    pages.close()
  })

  test('whatever events and scrolling come while requests are in flight, the list becomes a fresh read', () =>
    fc.assert(fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), converges), {
      numRuns: part(3_000, 200),
    }))
})

const step = fc.record({
  act: fc.constantFrom('start', 'start', 'complete', 'recall', 'withdraw', 'create', 'remove', 'show'),
  /** Some jobs more often than others. */
  at: fc.oneof(fc.nat(5), fc.nat(250)),
  /** Until the next step. */
  pauseMs: fc.constantFrom(0, 1, 20, 60, 200),
  /** Until a read that begins here sees the list, and from then until its response arrives. */
  readMs: fc.tuple(fc.constantFrom(0, 10, 100), fc.constantFrom(0, 10, 100, 300)),
})

const MARK = { reason: 'a bad fit', at: '' }
/** The calibration in force of one of two QPUs is recalled: what ends there is marked in the same moment. */
const QPUS = [
  { id: 'good', name: 'north', recalled_calibration: null },
  { id: 'recalled', name: 'south', recalled_calibration: { report: 'r', ...MARK } },
]

const jobOf = (id: string, at: number) => {
  const job: Partial<Job> = { id, status: 'pending', qpu: at % 2 === 0 ? 'good' : 'recalled', recalled: null }
  return job as Job
}

/** What becomes of a job; the same if it is in no state for it. */
function changed(job: Job, act: string, attempt: number): Job {
  const { status, qpu } = job
  if (act === 'start' && status !== 'completed') return { ...job, status: 'running', attempt }
  if (act === 'complete' && status !== 'completed')
    return { ...job, status: 'completed', recalled: qpu === 'recalled' ? MARK : null }
  if (act === 'recall' && status === 'completed') return { ...job, recalled: MARK }
  if (act === 'withdraw' && job.recalled) return { ...job, recalled: null }
  return job
}

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The list of the server after a step, and the event that the step causes, which has no marks. */
function after(jobs: readonly Job[], { act, at }: Step, index: number): [Job[], LiveEvent?] {
  const job = jobs[at % jobs.length] ?? jobOf('', 0)
  if (act === 'create') {
    const created = jobOf(`new${index}`, at)
    return [[created, ...jobs], { action: 'create', record: created }]
  }
  if (act === 'remove') return [jobs.filter((each) => each !== job), { action: 'delete', record: job }]
  const next = changed(job, act, index)
  if (next === job) return [[...jobs]]
  const { recalled: _, ...record } = next
  return [jobs.map((each) => (each === job ? next : each)), { action: 'update', record }]
}

/** The newest jobs come first; each change of the server's list is followed by its event. */
async function converges(steps: readonly Step[]) {
  let jobs = Array.from({ length: 150 }, (_, at) => jobOf(`job${at}`, at))
  let [before, rest] = [0, 0]
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  async function snapshot<T>(take: () => T): Promise<T> {
    const later = rest
    await pause(before)
    const taken = take()
    await pause(later)
    return taken
  }
  const pages = createJobPages({
    read: (skip, limit) => snapshot(() => jobs.slice(skip, skip + limit)),
    count: () => snapshot(() => jobs.length),
  })
  pages.load()
  let window = { from: 0, to: 30 }
  for (const [index, each] of steps.entries()) {
    ;[before, rest] = each.readMs
    const from = each.at % 120
    if (each.act === 'show') {
      window = { from, to: from + 30 }
      pages.show(window)
    } else {
      const [next, event] = after(jobs, each, index)
      jobs = next
      if (event && !applyEvent(pages, { filters: '', qpus: QPUS }, event)) pages.refresh()
    }
    await advance(each.pauseMs)
  }
  for (let ms = 0; ms < 3_000; ms += 50) await advance(50)
  expect(pages.total.value).toBe(jobs.length)
  for (let at = window.from; at < Math.min(window.to, jobs.length); at += 1)
    expect(pages.row(at)).toEqual(jobs[at])
  pages.close()
}
