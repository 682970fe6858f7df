import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import {
  accessibilityProblems,
  findChromium,
  openBrowser,
  overflowOf,
  resize,
  widestElements,
  withPage,
} from './browser.ts'
import { addressesOf, ROLES } from './stage/addresses.ts'
import { openStage, type Stage } from './stage/stage.ts'
import { open, sessionOf } from './stage/visit.ts'

// One test visits all pages of a role, up to three times.
setDefaultTimeout(600_000)

const chromium = findChromium()

/** The smallest width for which the pages are designed, px. */
const PHONE = { width: 390, height: 844 }
/** Jobs that superusers see with the same parts as their owners. */
const SEEN_BY_USERS = /^job-(many|sweep|iq|failed|cancelled)$/
const DESKTOP = { width: 1280, height: 900 }

describe.skipIf(!chromium)('accessibility', () => {
  let browser: Browser
  let stage: Stage

  beforeAll(async () => {
    ;[browser, stage] = await Promise.all([openBrowser(chromium ?? ''), openStage()])
  })
  afterAll(async () => {
    await stage.close()
    await browser.close()
  })

  /** What is wrong with an open page: in the light theme, in the dark one, and on a phone. */
  async function problemsOf(page: Page, themes: 'both' | 'light'): Promise<string[]> {
    for (const summary of await page.locator('main details:not([open]) > summary').all()) {
      if (await summary.isVisible()) await summary.click()
    }
    const light = await accessibilityProblems(page)
    const dark = themes === 'both' ? await contrastInDark(page) : []
    await resize(page, PHONE)
    const wide =
      (await overflowOf(page)) > 0 ? ['wider than the window', ...(await widestElements(page))] : []
    await page.setViewportSize(DESKTOP)
    return [...light, ...dark.map((one) => `dark ${one}`), ...wide]
  }

  /** Only colors differ between the themes. */
  async function contrastInDark(page: Page): Promise<string[]> {
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'dark')
    const dark = await accessibilityProblems(page, ['color-contrast'])
    await page.emulateMedia({ colorScheme: 'light' })
    return dark
  }

  test.each(ROLES)('axe finds nothing on any page of a %s', (role) =>
    withPage(
      browser,
      {
        name: `a11y-${role}`,
        baseURL: stage.url,
        viewport: DESKTOP,
        expected: [/status of 404/],
        ...sessionOf(stage, role),
      },
      async (page) => {
        const found: Record<string, string[]> = {}
        const addresses = addressesOf(stage).filter(
          ({ name, roles }) => roles.includes(role) && !(role === 'superuser' && SEEN_BY_USERS.test(name)),
        )
        for (const { name, path, roles } of addresses) {
          await open(page, path)
          // What a superuser sees in addition to users has the same parts and colors.
          const themes = role === 'superuser' && roles.includes('user') ? 'light' : 'both'
          const problems = await problemsOf(page, themes)
          if (problems.length > 0) found[name] = problems
        }
        expect(found).toEqual({})
      },
    ),
  )
})
