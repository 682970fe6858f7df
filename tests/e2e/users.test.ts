import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { findChromium, openBrowser, overflowOf, type PageOptions, withPage } from './browser.ts'
import { type Lab, openLab } from './lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('users and QPU time', () => {
  let browser: Browser
  let lab: Lab

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab()
    await lab.connect()
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const visit = (
    name: string,
    who: 'user' | 'admin',
    run: (page: Page) => Promise<void>,
    options: Partial<PageOptions> = {},
  ) => {
    const session =
      who === 'user'
        ? { token: lab.user.token, record: { id: lab.user.id, collectionName: 'users' } }
        : { token: lab.admin.token, record: { id: 'admin', collectionName: '_superusers' } }
    const stored = [{ name: 'svc.session', value: JSON.stringify(session) }]
    const storageState = { cookies: [], origins: [{ origin: lab.url, localStorage: stored }] }
    return withPage(browser, { name: `users-${name}`, baseURL: lab.url, storageState, ...options }, run)
  }

  test('a request is sent, approved with another amount while the user watches, and in the history', () =>
    visit('request', 'user', async (page) => {
      await page.goto('/qpu-time')
      await page.getByText('You have 1 h left.').waitFor()
      await page.getByLabel('Amount').fill('a while')
      await page.getByRole('button', { name: 'Send the request' }).click()
      await page.getByText('Enter an amount such as 1h 30m.').waitFor()
      await page.getByLabel('Amount').fill('1h 30m')
      await page.getByLabel('Purpose').fill('GHZ states')
      await page.getByRole('button', { name: 'Send the request' }).click()
      await page.getByText('Your request for 1 h 30 min is waiting for a decision.').waitFor()

      await visit('approve', 'admin', async (other) => {
        await other.goto('/time-requests')
        await other.getByRole('link', { name: 'Time requests 1 open' }).waitFor()
        await other.getByRole('row', { name: /lindqvist.*1 h 30 min.*GHZ states.*1 h/ }).waitFor()
        await other.getByRole('button', { name: /^Approve… the request/ }).click()
        const dialog = other.getByRole('dialog')
        expect(await dialog.getByLabel('Amount').inputValue()).toBe('1h 30m')
        await dialog.getByLabel('Amount').fill('30m')
        await dialog.getByText('The balance becomes 1 h 30 min.').waitFor()
        await dialog.getByRole('button', { name: 'Approve' }).click()
        await other.getByText('There is no open request.').waitFor()
        await other.getByRole('tab', { name: 'Processed' }).click()
        await other.getByRole('row', { name: /Approved.*30 min granted/ }).waitFor()
      })

      await page.getByText('You have 1 h 30 min left.').waitFor()
      await page.getByRole('row', { name: /Approved request.*\+ 30 min.*1 h 30 min/ }).waitFor()
      await page.getByRole('row', { name: /Initial balance.*\+ 1 h.*1 h/ }).waitFor()
    }))

  test('a rejection needs a reason, which the user reads', async () => {
    const path = '/api/collections/qpu_time_requests/records'
    const body = { seconds: 60, requested_reason: 'more' }
    await lab.service.call('POST', path, { token: lab.user.token, body })
    await visit('reject', 'admin', async (page) => {
      await page.goto('/time-requests')
      await page.getByRole('button', { name: /^Reject… the request/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Reason').fill('Ask the course leader')
      await dialog.getByRole('button', { name: 'Reject the request' }).click()
      await page.getByText('There is no open request.').waitFor()
    })
    await visit('rejected', 'user', async (page) => {
      await page.goto('/qpu-time')
      await page.getByText('Ask the course leader').waitFor()
      await page.goto('/users')
      await page.getByRole('heading', { name: 'Only superusers see this page' }).waitFor()
    })
  })

  test('a superuser creates a user with a link, sets the balance, disables and deletes the account', () =>
    visit(
      'create',
      'admin',
      async (page) => {
        await page.goto('/users')
        await page.getByRole('row', { name: /lindqvist/ }).waitFor()
        await page.getByRole('button', { name: 'New user' }).click()
        await page.getByLabel('E-mail', { exact: true }).fill('osei@lab.example')
        await page.getByLabel('User name').fill('osei')
        await page.getByLabel('QPU time', { exact: true }).fill('20 min')
        await page.getByRole('button', { name: 'Create the user' }).click()
        await page.getByText(/\/api\/account-links\/password-reset\?token=/).waitFor()
        await page.getByRole('button', { name: 'Done' }).click()
        await page.getByRole('row', { name: /osei@lab\.example.*Active.*20 min/ }).waitFor()

        await page.getByLabel('Search users').fill('osei')
        await page.getByRole('row', { name: /lindqvist/ }).waitFor({ state: 'detached' })
        expect(page.url()).toContain('q=osei')
        await page.getByRole('link', { name: 'osei@lab.example' }).click()
        const dialog = page.getByRole('dialog', { name: 'osei' })
        await dialog.getByLabel('Balance of QPU time').fill('2h')
        await dialog.getByRole('button', { name: 'Set the balance' }).click()
        await page.getByText('The balance is 2 h.').waitFor()
        await dialog.getByRole('button', { name: 'Disable…' }).click()
        await page.getByText(/Logins and API tokens stop working immediately/).waitFor()
        await page.getByRole('button', { name: 'Disable the account' }).click()
        await page.getByText('osei@lab.example is disabled.').waitFor()
        await dialog.getByRole('button', { name: 'Delete…' }).click()
        await page.getByText(/Ended jobs with their results/).waitFor()
        await page.getByRole('dialog').last().getByRole('textbox').fill('osei@lab.example')
        await page.getByRole('button', { name: 'Delete the user' }).click()
        await page.getByText('No user matches “osei”.').waitFor()
      },
      { expected: [/status of 404/] },
    ))

  test('accounting shows the months and saves them as CSV', async () => {
    const job = await lab.submit()
    for (let status = ''; status !== 'completed'; ) {
      status = String(
        (await lab.service.call('GET', `/api/jobs/${job}?wait=10`, { token: lab.user.token })).body['status'],
      )
    }
    await visit('accounting', 'admin', async (page) => {
      await page.goto('/accounting')
      await page.getByRole('row', { name: /lindqvist@lab\.example.*kelvin.*1/ }).waitFor()
      await page.getByRole('img', { name: /^QPU time by month, most in/ }).waitFor()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ])
      expect(file.suggestedFilename()).toMatch(/^accounting-\d{4}-\d{2}-\d{4}-\d{2}\.csv$/)
      await page.getByLabel('Rows by').selectOption('qpu')
      await page.getByRole('row', { name: /^kelvin/ }).waitFor()
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await overflowOf(page)).toBe(0)
    })
  })
})
