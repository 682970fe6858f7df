import type { Page } from 'playwright-core'
import type { Lab } from '../support/lab.ts'

/** ms from a commit of the server until an open page shows it. */
export interface Delays {
  appears: number[]
  completes: number[]
}

/** When a page first showed a job, and first showed it as completed: ms since 1970, by its id. */
type Seen = Record<string, { appeared?: number; completed?: number }>

/** Submits jobs one after the other while `page` has the list open, and compares the times. */
export async function measureDelays(page: Page, lab: Lab, jobs: number): Promise<Delays> {
  await watchRows(page)
  const delays: Delays = { appears: [], completes: [] }
  for (let at = 0; at < jobs; at += 1) {
    const id = await lab.submit()
    await page.waitForFunction(
      (job) => (window as unknown as { seen: Seen }).seen[job]?.completed !== undefined,
      id,
      { timeout: 20_000 },
    )
    const seen = await page.evaluate((job) => (window as unknown as { seen: Seen }).seen[job], id)
    const { created, finished_at } = await lab.job(id)
    delays.appears.push(Math.max(0, (seen?.appeared ?? Number.NaN) - timeOf(created)))
    delays.completes.push(Math.max(0, (seen?.completed ?? Number.NaN) - timeOf(finished_at)))
  }
  return delays
}

const timeOf = (text: string) => Date.parse(text.replace(' ', 'T'))

/** Notes in the page when a row of a job appears and when it says Completed. */
async function watchRows(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen: Seen = {}
    Object.assign(window, { seen })
    const read = () => {
      for (const link of document.querySelectorAll<HTMLAnchorElement>('main a[href^="/jobs/"]')) {
        const id = link.pathname.slice('/jobs/'.length)
        const row = link.closest('tr')
        if (!row || id === 'new') continue
        const job = seen[id] ?? {}
        seen[id] = job
        job.appeared ??= Date.now()
        if (row.textContent?.includes('Completed')) job.completed ??= Date.now()
      }
    }
    read()
    new MutationObserver(read).observe(document.body, { childList: true, subtree: true, characterData: true })
  })
}
