/** A real Chromium for tests, and pages that fail a test on anything that a user should never see. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

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
const RESULTS = join(import.meta.dir, '../../test-results')
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/**
 * The path of Chromium: `SVC_CHROMIUM`, or the usual ones of distributions. Undefined if there is none, which
 * skips the browser tests on a developer's machine; on CI that is an error.
 */
export function findChromium(): string | undefined {
  const named = process.env['SVC_CHROMIUM']
  if (named) return named
  const found = PLACES.find((place) => existsSync(place))
  if (!found && process.env['CI']) throw new Error('No Chromium: install it, or name it in SVC_CHROMIUM')
  if (!found) console.warn('Browser tests are skipped: install chromium, or name it in SVC_CHROMIUM')
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
  /** Texts of console errors that the test provokes on purpose. */
  expected?: RegExp[]
}

/**
 * Runs a test in a separate page. Fails on console errors, uncaught errors, violations of the page's policy,
 * responses of 500 and above, and requests to other machines. A failure leaves a screenshot and a trace.
 */
export async function withPage(
  browser: Browser,
  { name, expected = [], ...options }: PageOptions,
  run: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options })
  context.setDefaultTimeout(10_000)
  const problems: string[] = []
  await context.route('**/*', (route) => {
    const { hostname } = new URL(route.request().url())
    if (hostname === '127.0.0.1' || hostname === 'localhost') return route.fallback()
    problems.push(`Request to ${route.request().url()}`)
    return route.abort()
  })
  await context.tracing.start({ screenshots: true, snapshots: true })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() !== 'error' || expected.some((text) => text.test(message.text()))) return
    problems.push(`Console: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => problems.push(`Uncaught: ${error.message}`))
  page.on('response', (response) => {
    if (response.status() >= 500) problems.push(`${response.status()} from ${response.url()}`)
  })
  try {
    await run(page)
    if (problems.length > 0) throw new Error(`The page met:\n${problems.join('\n')}`)
  } catch (error) {
    await mkdir(RESULTS, { recursive: true })
    await page.screenshot({ path: join(RESULTS, `${name}.png`), fullPage: true }).catch(() => undefined)
    await context.tracing.stop({ path: join(RESULTS, `${name}.zip`) }).catch(() => undefined)
    if (problems.length > 0) console.error(problems.join('\n'))
    throw error
  } finally {
    await context.close()
  }
}

/** Violations of WCAG 2.2 A and AA that axe finds on the page: one line per rule and element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // Evaluated by the debugger, to which the page's policy does not apply.
  await page.evaluate(axe.source)
  return page.evaluate(async (tags) => {
    const { violations } = await window.axe.run(document, { runOnly: tags })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`))
  }, WCAG)
}

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** The width by which the content overflows the window to the right, in px. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
}
