import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { until } from '../support/until.ts'
import { accessibilityProblems, findChromium, openBrowser, overflowOf, withPage } from './browser.ts'
import { type Lab, openLab } from './lab.ts'

setDefaultTimeout(30_000)

const chromium = findChromium()

/** The smallest width for which the pages are designed, px. */
const PHONE = 390

describe.skipIf(!chromium)('accessibility', () => {
  let browser: Browser
  let lab: Lab
  let done: string
  let waiting: string

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab()
    await lab.connect()
    done = await lab.submit()
    await until('the job to be completed', async () => {
      const { body } = await lab.service.call('GET', `/api/jobs/${done}`, { token: lab.user.token })
      return body['status'] === 'completed'
    })
    await lab.asAdmin('POST', '/api/op/qpu/maintenance', {
      id: lab.qpu.id,
      maintenance: true,
      reason: 'warm-up',
    })
    const other = await lab.service.createQpu('spare')
    waiting = await lab.submit(1_000, other.id)
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const session = () =>
    JSON.stringify({ token: lab.user.token, record: { id: lab.user.id, collectionName: 'users' } })
  const signedIn = () => ({
    storageState: {
      cookies: [],
      origins: [{ origin: lab.url, localStorage: [{ name: 'svc.session', value: session() }] }],
    },
  })
  const PAGES: [page: string, who: 'guest' | 'user', path: () => string, shows: RegExp][] = [
    ['the overview', 'guest', () => '/', /^Overview$/],
    ['the login', 'guest', () => '/login', /^Sign in$/],
    ['a missing page', 'guest', () => '/nowhere', /no such page/],
    ['the overview', 'user', () => '/', /^Latest result$/],
    ['the form', 'user', () => '/jobs/new', /^New job$/],
    ['a completed job', 'user', () => `/jobs/${done}`, /^Counts$/],
    ['a waiting job', 'user', () => `/jobs/${waiting}`, /^Progress$/],
    ['a missing job', 'user', () => '/jobs/nowhere', /no such job/],
  ]

  for (const colorScheme of ['light', 'dark'] as const) {
    test.each(PAGES)(`axe finds nothing on %s for a %s, ${colorScheme}`, (_, who, path, shows) =>
      withPage(
        browser,
        {
          name: `a11y-${colorScheme}`,
          baseURL: lab.url,
          colorScheme,
          expected: [/status of 404/],
          ...(who === 'user' ? signedIn() : {}),
        },
        async (page) => {
          await page.goto(path())
          await page.getByRole('heading', { name: shows }).waitFor()
          for (const summary of await page.locator('summary').all()) await summary.click()
          expect(await accessibilityProblems(page)).toEqual([])
          await page.setViewportSize({ width: PHONE, height: 844 })
          expect(await overflowOf(page)).toBe(0)
        },
      ),
    )
  }
})
