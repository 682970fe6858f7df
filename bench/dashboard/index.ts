/**
 * Measures the dashboard in Chromium against the built executable: `bun bench/dashboard [--rounds 5]
 * [--loads 20] [--stored 100000] [--jobs 50] [--only paint|list|live] [--markdown]`. First paint with a cold
 * cache, an empty page of the same server beside it; the longest frame while a list of all stored jobs
 * scrolls and is filtered; the time from a commit until an open page shows it. The goals: 300 ms,
 * 50 ms and 200 ms.
 */
import { parseArgs } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { findChromium, openBrowser } from '../../tests/e2e/browser.ts'
import { seed } from '../scale/seed.ts'
import { percentile, spreadOf } from '../support/figures.ts'
import { Lab } from '../support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells } from '../support/output.ts'
import { measurePaint, type Paint } from './first-paint.ts'
import { measureDelays } from './live-jobs.ts'
import { measureFrames, measureScrolling } from './long-list.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    loads: { type: 'string', default: '20' },
    stored: { type: 'string', default: '100000' },
    jobs: { type: 'string', default: '50' },
    only: { type: 'string', default: '' },
    markdown: { type: 'boolean', default: false },
  },
})
const [rounds, loads, stored, jobs] = [values.rounds, values.loads, values.stored, values.jobs].map(Number)
if (!rounds || !loads || !stored || !jobs)
  throw new Error('--rounds, --loads, --stored and --jobs are numbers')
const wanted = (part: string) => values.only === '' || values.only === part
/** The smallest page of the server: a text without scripts, styles or fonts. */
const EMPTY_PAGE = '/fonts/next.license.txt'
/** A long page of the same server without anything that changes. */
const STILL_PAGE = '/docs/reference/settings'
/** The list shows jobs. */
const ROWS = 'main tbody tr:nth-child(4) a'

const chromium = findChromium()
if (!chromium) throw new Error('Needs Chromium: install it, or name it in SVC_CHROMIUM')
const browser = await openBrowser(chromium)
const lab = await Lab.open({
  fill: (path, ids) => {
    if (wanted('list')) seed(path, { jobs: stored, events: 0 }, ids)
  },
})
try {
  if (values.markdown)
    console.log('# Dashboard\n\n[Benchmarks](README.md) describes how these figures were measured.\n')
  if (wanted('paint')) await firstPaint(browser, loads)
  if (wanted('list')) await longList(rounds)
  if (wanted('live')) await liveJobs(jobs)
} finally {
  await browser.close()
  await lab[Symbol.asyncDispose]()
}

/** A session as the dashboard stores it. */
function storageOf(token: string, id: string, collectionName: string) {
  const localStorage = [
    { name: 'svc.session', value: JSON.stringify({ token, record: { id, collectionName } }) },
  ]
  return { storageState: { cookies: [], origins: [{ origin: lab.service.url, localStorage }] } }
}

async function firstPaint(browser: Browser, loads: number): Promise<void> {
  const asUser = storageOf(lab.token, lab.owner, 'users')
  const pages: Record<string, { path: string; storage: object }> = {
    'reference: a text without scripts': { path: EMPTY_PAGE, storage: {} },
    'overview, guest': { path: '/', storage: {} },
    'overview, user': { path: '/', storage: asUser },
    'jobs, user': { path: '/jobs', storage: asUser },
    document: { path: '/docs/', storage: {} },
  }
  const found: Record<string, Paint[]> = {}
  for (let load = 0; load < loads; load += 1) {
    for (const [name, { path, storage }] of Object.entries(pages)) {
      const paint = await measurePaint(browser, lab.service.url + path, storage)
      found[name] = [...(found[name] ?? []), paint]
    }
  }
  console.log(`## First paint\n\nms with a cold cache, ${loads} loads of each in turn.\n`)
  printTable(
    ['First text', ...SPREAD_HEAD, 'largest part, median'],
    Object.entries(found).map(([name, paints]) => [
      name,
      ...spreadCells(spreadOf(paints.map(({ text }) => text))),
      percentile(
        paints.map(({ largest }) => largest),
        0.5,
      ),
    ]),
  )
}

/** Runs with an open page whose element `ready` is there. */
async function withPage<T>(
  { storage, path, ready }: { storage: object; path: string; ready: string },
  run: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...storage })
  try {
    const page = await context.newPage()
    await page.goto(lab.service.url + path)
    await page.locator(ready).first().waitFor()
    return await run(page)
  } finally {
    await context.close()
  }
}

async function longList(rounds: number): Promise<void> {
  const storage = storageOf(await lab.service.admin(), 'superuser', '_superusers')
  const rows: (string | number)[][] = []
  for (let round = 0; round < rounds; round += 1) {
    const still = await withPage({ storage: {}, path: STILL_PAGE, ready: 'h1' }, measureScrolling)
    const list = { storage, path: '/jobs', ready: ROWS }
    const { scrolling, filtering, task } = await withPage(list, measureFrames)
    rows.push([String(round + 1), still, scrolling, filtering, task])
  }
  console.log(
    `\n## A long list\n\nLongest frame in ms while a document without scripts scrolls, and while the list of all ${stored} jobs scrolls and is filtered; longest task of the list in ms of processor time.\n`,
  )
  printTable(['Run', 'document', 'list scrolls', 'list is filtered', 'longest task'], rows)
}

async function liveJobs(jobs: number): Promise<void> {
  await lab.startDriver()
  await lab.submitMany(5, 1)
  const list = { storage: storageOf(lab.token, lab.owner, 'users'), path: '/jobs', ready: ROWS }
  const delays = await withPage(list, (page) => measureDelays(page, lab, jobs))
  console.log(
    `\n## Live jobs\n\nms from the commit of the server until an open page shows it, ${jobs} jobs.\n`,
  )
  printTable(
    ['ms', 'p50', 'p95', 'max'],
    Object.entries(delays).map(([name, each]) => [
      `a job ${name}`,
      ...[0.5, 0.95, 1].map((part) => percentile(each, part)),
    ]),
  )
}
