import type { Page } from 'playwright-core'

/** What a page did while it was used, ms. */
export interface Frames {
  /** Longest time between two frames. */
  scrolling: number
  filtering: number
  /** Longest task of the page in processor time, which other programs of the machine do not lengthen. */
  task: number
}

/** Category of Chromium's trace. */
const TASKS = 'toplevel'
const WHEEL_PX = 1_200
const WHEEL_STEPS = 40
const FILTERS = ['failed', 'completed', 'pending', '']
/** Rows that were filtered are there. */
const FILTERED_MS = 700

/** Scrolls through the open list of jobs and filters it. */
export async function measureFrames(page: Page): Promise<Frames> {
  const browser = page.context().browser()
  await browser?.startTracing(page, { categories: [TASKS] })
  const scrolling = await measureScrolling(page)
  await page.evaluate(() => scrollTo(0, 0))
  const filtering = await longestFrame(page, async () => {
    for (const status of FILTERS) {
      await page.getByLabel('Status').selectOption(status)
      await page.waitForTimeout(FILTERED_MS)
    }
    await page.getByLabel('Id, name or tag').pressSequentially('job0000', { delay: 60 })
    await page.waitForTimeout(FILTERED_MS)
    await page.getByLabel('Id, name or tag').fill('')
    await page.waitForTimeout(FILTERED_MS)
  })
  const trace = (await browser?.stopTracing())?.toString() ?? '{"traceEvents":[]}'
  return { scrolling, filtering, task: longestTask(JSON.parse(trace).traceEvents) }
}

/** Turns the wheel over a page; returns its longest frame in ms. */
export async function measureScrolling(page: Page): Promise<number> {
  await page.mouse.move(640, 500)
  return longestFrame(page, async () => {
    for (let step = 0; step < WHEEL_STEPS; step += 1) {
      await page.mouse.wheel(0, step % 10 === 9 ? 60 * WHEEL_PX : WHEEL_PX)
      await page.waitForTimeout(50)
    }
  })
}

/** An event of Chromium's trace; `tdur` is its processor time in µs. */
interface TraceEvent {
  name: string
  pid: number
  tid: number
  tdur?: number
  args: { name?: string }
}

/** The longest task on the main threads of pages, ms of processor time. */
function longestTask(events: readonly TraceEvent[]): number {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid}:${tid}`
  const main = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  )
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && main.has(threadOf(event)))
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1_000))
}

/** The longest time between two frames during `run`, ms. */
async function longestFrame(page: Page, run: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    const frames = { longest: 0, on: true }
    Object.assign(window, { frames })
    let last = performance.now()
    const tick = (now: number) => {
      frames.longest = Math.max(frames.longest, now - last)
      last = now
      if (frames.on) requestAnimationFrame(tick)
    }
    requestAnimationFrame(tick)
  })
  await run()
  return page.evaluate(() => {
    const { frames } = window as unknown as { frames: { longest: number; on: boolean } }
    frames.on = false
    return frames.longest
  })
}
