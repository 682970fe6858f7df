/** A real Chromium for tests, and pages that fail a test on anything that a user should never see. */
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page, type Response } from 'playwright-core'

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/** Recording a trace for each test costs a fifth of the processor time of all browser tests. */
const TRACES = process.env['SVC_TRACE'] === '1'
const RESULTS = join(import.meta.dir, '../../test-results')
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** The line on what is skipped comes once, however many files a process tests. */
let hasWarned = false

/**
 * The path of Chromium: `SVC_CHROMIUM`, or the usual ones of distributions. Undefined if there is none, which
 * skips the browser tests on a developer's machine, with a line that `npm test` repeats in its summary; on CI
 * that is an error.
 */
export function findChromium(): string | undefined {
  const named = process.env['SVC_CHROMIUM']
  if (named) return named
  const found = PLACES.find((place) => existsSync(place))
  if (!found && process.env['CI']) throw new Error('No Chromium: install it, or name it in SVC_CHROMIUM')
  if (!found && !hasWarned)
    console.warn('Browser tests are skipped: install Chromium, or set SVC_CHROMIUM to its path')
  hasWarned = true
  return found
}

/** Starts the browser. Close it after the tests of the file. */
export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args: FLAGS })
}

export interface PageOptions extends BrowserContextOptions {
  /** Names the files that a failure leaves in `test-results/`. */
  name: string
  baseURL: string
  /** Console errors, `503 from URL` and `Request to URL` that the test provokes on purpose. */
  expected?: RegExp[]
}

/** Whether an address is that of another machine; `data:` and `blob:` stay on this one. */
function leavesMachine(address: string): boolean {
  const { hostname, protocol } = new URL(address)
  return /^(http|ws)s?:$/.test(protocol) && hostname !== '127.0.0.1' && hostname !== 'localhost'
}

/** Leaves in `test-results/` what the page showed: picture, text as a screen reader has it, trace. */
async function keepFailure(page: Page, name: string): Promise<void> {
  const path = (ending: string) => join(RESULTS, `${name}.${ending}`)
  await mkdir(RESULTS, { recursive: true })
  await page.screenshot({ path: path('png'), fullPage: true }).catch(() => undefined)
  const text = await page.locator('body').ariaSnapshot({ timeout: 1_000 }).catch(String)
  await writeFile(path('txt'), `${page.url()}\n${text}\n`)
  if (TRACES)
    await page
      .context()
      .tracing.stop({ path: path('zip') })
      .catch(() => undefined)
}

/**
 * Runs a test in a separate page. Fails on console errors, uncaught errors, violations of the page's policy,
 * responses of 500 and above, and requests to other machines. A failure leaves a screenshot and the text of
 * the page, with `SVC_TRACE=1` also a trace.
 */
export async function withPage(
  browser: Browser,
  { name, expected = [], ...options }: PageOptions,
  run: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  context.setDefaultTimeout(45_000)
  const problems: string[] = []
  const report = (text: string) => {
    if (!expected.some((each) => each.test(text))) problems.push(text)
  }
  // Watched, not intercepted: interception would also switch off the cache of the browser.
  context.on('request', (request) => {
    if (leavesMachine(request.url())) report(`Request to ${request.url()}`)
  })
  if (TRACES) await context.tracing.start({ screenshots: true, snapshots: true })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() !== 'error' || expected.some((text) => text.test(message.text()))) return
    // Asked for by the browser, not by the page: of an address without a page, such as a text or JSON.
    if (message.location().url.endsWith('/favicon.ico')) return
    problems.push(`Console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.push(`Uncaught: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 500) report(`${response.status()} from ${response.url()}`)
    if (response.url().endsWith('/api/reads')) void reportJoined(response, report)
  })
  try {
    await run(page)
    if (problems.length > 0) throw new Error(`The page met:\n${problems.join('\n')}`)
  } catch (error) {
    await keepFailure(page, name)
    if (problems.length > 0) console.error(problems.join('\n'))
    throw error
  } finally {
    await context.close()
  }
}

/** Reports failures of the server among joined reads; of a page that is left, nothing. */
async function reportJoined(response: Response, report: (text: string) => void): Promise<void> {
  const text = await response.text().catch(() => '')
  for (const [failure] of text.matchAll(/^\{"index":\d+,"status":5\d\d.*/gm)) {
    report(`${failure} of ${response.request().postData()}`)
  }
}

/**
 * Violations of WCAG 2.2 A and AA that axe finds on the page, of all its rules or of `rules`: one line per
 * rule and element.
 */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Evaluated by the debugger, to which the page's policy does not apply.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  const runOnly = rules
    ? { type: 'rule' as const, values: [...rules] }
    : { type: 'tag' as const, values: WCAG }
  return page.evaluate(async (only) => {
    const { violations } = await window.axe.run(document, { runOnly: only, resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
  }, runOnly)
}

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** Changes the size of the window and waits until plots have followed. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size)
  await page.evaluate(async () => {
    for (let frame = 0; frame < 3; frame += 1) {
      await new Promise((drawn) => requestAnimationFrame(drawn))
    }
  })
}

/** The width by which the content overflows the window to the right, in px. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}

/** The elements that make a page wider than the window, outermost first, with their ends in px. */
export function widestElements(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element) => {
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (at !== document.body && getComputedStyle(at).overflowX !== 'visible') return true
      }
      return false
    }
    return [...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > window.innerWidth + 1 && !scrolls(element))
      .slice(0, 6)
      .map((element) => {
        const name = [element.tagName.toLowerCase(), ...element.classList].join('.')
        return `${name} ends at ${Math.round(element.getBoundingClientRect().right)}`
      })
  })
}
