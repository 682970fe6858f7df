import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { openStage, type Person, type Stage } from '../stage/stage.ts'
import { open, sessionFor } from '../stage/visit.ts'
import { makeChanges, makeUnseenChanges } from './changes.ts'
import { type OpenedPage, openedPages, type Tabs } from './pages.ts'

setDefaultTimeout(300_000)

/** Twenty pages load at once, beside other tests on the same processors. */
const PAGE_TIMEOUT_MS = 60_000

const chromium = findChromium()

interface Tab extends OpenedPage {
  tab: Page
  /** The text of `changing` before the changes. */
  before: string
}

describe.skipIf(!chromium)('after the server was killed and started again', () => {
  let browser: Browser
  let stage: Stage

  beforeAll(async () => {
    const flags = ['--webhook-networks', '127.0.0.0/8']
    ;[browser, stage] = await Promise.all([openBrowser(chromium ?? ''), openStage({ flags })])
  })
  afterAll(async () => {
    await stage.close()
    await browser.close()
  })

  const shows = (page: Page, text: RegExp) => page.getByText(text).filter({ visible: true }).first().waitFor()

  /** Opens a page in a tab of its own, with a mark that a reload would remove. */
  async function openTab(context: BrowserContext, page: OpenedPage): Promise<Tab> {
    const tab = await context.newPage()
    await open(tab, page.path)
    if (page.stale) await shows(tab, page.stale)
    const before = page.changing ? ((await tab.getByText(page.changing).first().textContent()) ?? '') : ''
    await tab.evaluate(() => Object.assign(window, { notReloaded: true }))
    return { ...page, tab, before }
  }

  async function checkTab({ stale, fresh, changing, before, tab }: Tab): Promise<void> {
    if (fresh) await shows(tab, fresh)
    if (changing) await tab.getByText(changing).filter({ hasNotText: before }).first().waitFor()
    if (stale) await tab.getByText(stale).filter({ visible: true }).first().waitFor({ state: 'detached' })
    await tab.getByText('Reconnecting').waitFor({ state: 'detached' })
    expect(await tab.evaluate(() => 'notReloaded' in window)).toBe(true)
  }

  /** Another superuser with the rights of the first one. */
  async function addSuperuser(name: string): Promise<Person> {
    const { service, superuser } = stage
    const account = { email: `${name}@example.org`, password: 'a long password' }
    const call = async (path: string, token: string, body: object) => {
      const response = await service.call<{ token: string; record: Person }>('POST', path, { token, body })
      if (response.status >= 300) throw new Error(JSON.stringify(response.body))
      return response.body
    }
    const collection = '/api/collections/_superusers'
    await call(`${collection}/records`, superuser.token, { ...account, passwordConfirm: account.password })
    const login = { identity: account.email, password: account.password }
    const { token, record } = await call(`${collection}/auth-with-password`, '', login)
    return { ...account, id: record.id, token }
  }

  /** Opens the pages of each account in a browser profile of its own, and runs while all are open. */
  async function withTabs(
    all: readonly Tabs[],
    run: (tabs: Tab[]) => Promise<void>,
    opened: Tab[] = [],
  ): Promise<void> {
    const [mine, ...rest] = all
    if (!mine) return run(opened)
    const [second, third] = stage.others
    const users = { user: stage.user, second, third }
    const isSuperuser = mine.who === 'superuser'
    const person = mine.who === 'superuser' ? await addSuperuser(`admin${rest.length}`) : users[mine.who]
    if (!person) throw new Error('The stage has too few users')
    const options = {
      ...{ name: `recovery-${mine.who}-${rest.length}`, baseURL: stage.url },
      expected: [/Failed to load resource/, /^503 from /],
      ...sessionFor(stage.url, person, isSuperuser ? '_superusers' : 'users'),
    }
    await withPage(browser, options, async (page) => {
      page.context().setDefaultTimeout(PAGE_TIMEOUT_MS)
      const tabs = await Promise.all(mine.pages.map((each) => openTab(page.context(), each)))
      await withTabs(rest, run, [...opened, ...tabs])
    })
  }

  test('every page shows what has changed since, without a reload', async () => {
    const body = { name: 'display in the corridor' }
    await stage.service.call('POST', '/api/tokens', { token: stage.others[0]?.token ?? '', body })
    await withTabs(openedPages(stage), async (tabs) => {
      await makeUnseenChanges(stage)
      await stage.service.stop('SIGKILL')
      await tabs[0]?.tab.getByText('Reconnecting').waitFor()
      await stage.service.start()
      await makeChanges(stage)
      const outcomes = await Promise.allSettled(tabs.map(checkTab))
      const failures = outcomes.flatMap((outcome, at) =>
        outcome.status === 'rejected' ? [`${tabs[at]?.path}: ${outcome.reason}`] : [],
      )
      for (const [at, { tab }] of tabs.entries()) {
        if (outcomes[at]?.status === 'rejected')
          await tab.screenshot({ path: `test-results/recovery-tab-${at}.png`, fullPage: true })
      }
      expect(failures).toEqual([])
    })
  })
})
