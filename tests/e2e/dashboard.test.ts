import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { until } from '../support/until.ts'
import { findChromium, openBrowser, type PageOptions, withPage } from './browser.ts'
import { type Lab, openLab, signIn } from './lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('dashboard', () => {
  let browser: Browser
  let lab: Lab

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
  })
  afterAll(() => browser.close())
  beforeEach(async () => {
    lab = await openLab()
  })
  afterEach(() => lab.close())

  const visit = (name: string, run: (page: Page) => Promise<void>, options: Partial<PageOptions> = {}) =>
    withPage(browser, { name, baseURL: lab.url, ...options }, run)

  /** Waits until all of these pages show a text. */
  const shows = (pages: readonly Page[], text: string) =>
    Promise.all(pages.map((each) => each.getByText(text).first().waitFor()))

  /** Waits until the server has so many open event streams. */
  const untilStreams = (count: number) =>
    until(`${count} streams`, async () => {
      const headers = { authorization: lab.admin.token }
      const text = await (await fetch(`${lab.url}/metrics`, { headers })).text()
      return Number(/^svc_event_streams (\d+)$/m.exec(text)?.[1]) === count
    })

  /** Lets the time pass at once for which a hidden page still follows. */
  const shortenGrace = () => {
    const wait = window.setTimeout
    Object.assign(window, {
      setTimeout: (run: () => void, ms = 0) => wait(run, ms === 30_000 ? 0 : ms),
    })
  }

  /** Hides a page or shows it again, as the browser does when another tab is chosen. */
  const setVisibility = (page: Page, state: 'hidden' | 'visible') =>
    page.evaluate((to) => {
      Object.defineProperty(document, 'visibilityState', { value: to, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)

  test('the overview follows jobs, QPUs and the balance without being reloaded', () =>
    visit('live', async (page) => {
      await signIn(page, lab.user)
      await page.getByText('You have no jobs yet').waitFor()
      const id = await lab.submit()
      const row = page.getByRole('row', { name: id })
      await row.getByText('Pending').waitFor()
      await page.getByText('One job is waiting.').waitFor()

      await lab.connect(3)
      await row.getByText('Running').waitFor()
      await row.getByText('Completed').waitFor()
      await page.getByText('59 min').first().waitFor()
      await lab.asAdmin('PATCH', `/api/admin/users/${lab.user.id}`, { qpu_seconds: 7_260 })
      await page.getByText('2 h 1 min').first().waitFor()

      const qpu = page.getByRole('row', { name: 'kelvin' }).first()
      await lab.asAdmin('POST', '/api/op/qpu/maintenance', {
        id: lab.qpu.id,
        maintenance: true,
        reason: 'mixing chamber warm-up',
      })
      await qpu.getByText('Maintenance').waitFor()
      await qpu.getByText('Mixing chamber warm-up').waitFor()
      await lab.asAdmin('POST', '/api/op/qpu/maintenance', { id: lab.qpu.id, maintenance: false })
      await qpu.getByText('A new job starts').waitFor()
      await lab.asAdmin('POST', '/api/op/qpu/toggle', { id: lab.qpu.id, enabled: false })
      await qpu.getByText('Disabled').waitFor()
    }))

  test('a lost connection is shown, and missed changes appear when it is back', () =>
    visit(
      'reconnect',
      async (page) => {
        await signIn(page, lab.user)
        await page.getByText('You have no jobs yet').waitFor()
        await lab.service.stop()
        await page.getByText('Reconnecting, data from').waitFor()
        await lab.service.start()
        const id = await lab.submit()
        await page.getByRole('row', { name: id }).getByText('Pending').waitFor()
        await page.getByText('Reconnecting').waitFor({ state: 'detached' })
      },
      { expected: [/Failed to load resource/] },
    ))

  test('a server that no longer answers is noticed by two browsers, a lost network too', () =>
    visit(
      'silence',
      async (page) => {
        await signIn(page, lab.user)
        await page.getByText('You have no jobs yet').waitFor()
        await visit(
          'silence-guest',
          async (guest) => {
            await guest.goto('/')
            await guest.getByRole('row', { name: 'kelvin' }).getByText('Offline').waitFor()
            process.kill(lab.service.pid ?? 0, 'SIGSTOP')
            for (const each of [page, guest]) await each.getByText('Reconnecting, data from').waitFor()
            process.kill(lab.service.pid ?? 0, 'SIGCONT')
            const id = await lab.submit()
            await page.getByRole('row', { name: id }).getByText('Pending').waitFor()
            for (const each of [page, guest]) {
              await each.getByText('Reconnecting').waitFor({ state: 'detached' })
            }
            await guest.context().setOffline(true)
            await guest.getByText('Reconnecting, data from').waitFor()
            await guest.context().setOffline(false)
            await guest.getByText('Reconnecting').waitFor({ state: 'detached' })
          },
          { expected: [/Failed to load resource/] },
        )
      },
      { expected: [/Failed to load resource/] },
    ))

  test('a login that ends elsewhere ends the page, one that reads nothing too', () =>
    visit(
      'revoked',
      async (page) => {
        await signIn(page, lab.user)
        await page.goto('/licenses')
        await page.getByRole('heading', { level: 1 }).waitFor()
        await lab.asAdmin('PATCH', `/api/collections/users/records/${lab.user.id}`, { disabled: true })
        await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).waitFor()
      },
      { expected: [/status of 401/] },
    ))

  test('a waiting job can be cancelled and submitted again', () =>
    visit('cancel', async (page) => {
      const id = await lab.submit(321)
      await signIn(page, lab.user)
      await page.getByRole('link', { name: id }).click()
      await page.getByRole('button', { name: 'Cancel job' }).click()
      await page.locator('.heading').getByText('Cancelled').waitFor()
      await page.getByRole('link', { name: 'Edit and run again' }).click()
      await page.waitForFunction(() => document.querySelector<HTMLInputElement>('#shots')?.value === '321')
      await page.getByRole('button', { name: 'Submit' }).click()
      await page.getByText('Pending').first().waitFor()
      expect(page.url()).not.toContain(id)
    }))

  test('everything works without a mouse', () =>
    visit('keyboard', async (page) => {
      const id = await lab.submit()
      await signIn(page, lab.user)
      const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim())
      await page.getByRole('link', { name: id }).waitFor()
      await page.keyboard.press('j')
      expect(await focused()).toBe(id)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: `Job ${id}` }).waitFor()
      await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
      await page.keyboard.press('g')
      await page.keyboard.press('o')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.keyboard.press('n')
      await page.getByRole('heading', { name: 'New job' }).waitFor()
      await page.keyboard.press('?')
      await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
      await page.getByLabel('Single-key shortcuts').uncheck()
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      expect(await page.locator('dialog[open]').count()).toBe(0)
      await page.getByLabel('OpenQASM program').focus()
      await page.keyboard.press('Control+Enter')
      await page.getByRole('heading', { name: /^Job \w{15}$/ }).waitFor()
    }))

  test('the theme is set before the first paint and remains selected', () =>
    visit(
      'theme',
      async (page) => {
        const theme = () => page.evaluate(() => document.documentElement.dataset['theme'])
        // Only the blocking script runs: it alone decides the first paint.
        await page.route('**/a/index-*.js', (route) => route.abort())
        await page.goto('/')
        expect(await theme()).toBe('dark')
        await page.unroute('**/a/index-*.js')
        await page.reload()
        await page.getByLabel('Theme').selectOption('Light')
        expect(await theme()).toBe('light')
        await page.reload()
        expect(await theme()).toBe('light')
        await page.getByLabel('Theme').selectOption('System')
        expect(await theme()).toBe('dark')
        await page.emulateMedia({ colorScheme: 'light' })
        await page.waitForFunction(() => document.documentElement.dataset['theme'] === 'light')
      },
      { colorScheme: 'dark', expected: [/net::ERR_FAILED/] },
    ))

  test('a session is shared by the tabs of a browser, and ends in all of them', () =>
    visit('tabs', async (page) => {
      const other = await page.context().newPage()
      await other.goto('/')
      await other.getByText('Sign in to see your jobs').waitFor()
      await signIn(page, lab.user)
      await other.getByText('You have no jobs yet').waitFor()
      await other.getByRole('button', { name: lab.user.email }).click()
      await other.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('Sign in to see your jobs').waitFor()
    }))

  test('tabs of a login share a stream, rest while hidden, are current after a restart, and end together', () =>
    visit(
      'many-tabs',
      async (page) => {
        await signIn(page, lab.user)
        const hidden = await page.context().newPage()
        await hidden.addInitScript(shortenGrace)
        const others = await Promise.all(Array.from({ length: 13 }, () => page.context().newPage()))
        const tabs = [page, hidden, ...others]
        await Promise.all(tabs.slice(1).map((tab) => tab.goto('/')))
        await shows(tabs, 'You have no jobs yet')
        await untilStreams(1)

        await setVisibility(hidden, 'hidden')
        const first = await lab.submit()
        await shows([page, ...others], first)
        expect(await hidden.getByText(first).count()).toBe(0)
        await setVisibility(hidden, 'visible')
        await shows([hidden], first)

        await lab.service.stop('SIGKILL')
        await shows(others, 'Reconnecting, data from')
        await lab.service.start()
        await shows(tabs, await lab.submit())
        await untilStreams(1)

        await hidden.getByRole('button', { name: lab.user.email }).click()
        await hidden.getByRole('button', { name: 'Sign out' }).click()
        await shows(tabs, 'Sign in to see your jobs')
        await untilStreams(1)
      },
      { expected: [/Failed to load resource/] },
    ))

  test('an administrator signs in as such', () =>
    visit('administrator', async (page) => {
      await page.goto('/login')
      await page.getByRole('button', { name: 'Sign in as a superuser' }).click()
      await page.getByLabel('E-mail').fill(lab.admin.email)
      await page.getByLabel('Password').fill(lab.admin.password)
      await page.keyboard.press('Enter')
      await page.getByRole('banner').getByText('Superuser').waitFor()
    }))

  test('an unknown address leads to the overview', () =>
    visit('not-found', async (page) => {
      await page.goto('/nothing-here')
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor()
      await page.getByRole('link', { name: 'Go to the overview' }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
    }))

  test('help leads to the section about the page; documents are searched, printed and read without scripts', async () => {
    const guest = { name: 'documents', baseURL: lab.url }
    await withPage(browser, { ...guest, colorScheme: 'dark' }, async (page) => {
      await page.goto('/bookings')
      await page.getByRole('link', { name: 'Help' }).click()
      await page.waitForURL('**/docs/how-to/use-the-dashboard#bookings')
      const aside = page.getByRole('navigation', { name: 'On this page' })
      await aside.locator('[aria-current]').getByText('Bookings').waitFor()

      await page.keyboard.press('/')
      await page.getByRole('combobox', { name: 'Search' }).fill('scope of api tokens')
      await page
        .getByRole('option', { name: /^Accounts.* API tokens/ })
        .first()
        .click()
      await page.waitForURL('**/docs/how-to/accounts#api-tokens')

      const ink = () => page.evaluate(() => getComputedStyle(document.body).color)
      const onScreen = await ink()
      await page.emulateMedia({ media: 'print' })
      expect(await ink()).not.toBe(onScreen)
      expect(await page.getByRole('banner').isVisible()).toBe(false)
    })
    await withPage(
      browser,
      { ...guest, javaScriptEnabled: false, viewport: { width: 390, height: 844 } },
      async (page) => {
        await page.goto('/docs/how-to/book-time')
        await page.getByRole('button', { name: 'Contents' }).click()
        await page.locator('#menu').getByText('Use the dashboard').click()
        await page.getByRole('heading', { name: 'Use the dashboard' }).waitFor()
        expect(await page.getByRole('button', { name: 'Search' }).isVisible()).toBe(false)
      },
    )
  })
})
