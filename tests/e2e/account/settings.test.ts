import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab, signIn } from '../lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('settings', () => {
  let browser: Browser
  let lab: Lab

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab(['--webhook-networks', '127.0.0.0/8'])
  })
  afterAll(async () => {
    await browser?.close()
    await lab?.close()
  })

  const visit = (name: string, run: (page: Page) => Promise<void>, expected: RegExp[] = []) =>
    withPage(browser, { name, baseURL: lab.url, timezoneId: 'Europe/Stockholm', expected }, run)

  test('an API token is shown once, works as its scope allows, is renamed and deleted', () =>
    visit('tokens', async (page) => {
      await signIn(page, lab.user)
      await page.goto('/settings/tokens')
      await page.getByText('You have no API tokens').waitFor()
      await page.getByRole('button', { name: 'New token' }).first().click()
      await page.getByLabel('Name').fill('notebook')
      await page.getByLabel('Valid for').selectOption('Never expires')
      await page.getByText('stays dangerous when it leaks').waitFor()
      await page.getByLabel('Valid for').selectOption('7 days')
      await page.getByLabel('Read:').check()
      await page.getByRole('button', { name: 'Create' }).click()
      const token = (await page.locator('dialog pre').first().textContent()) ?? ''
      expect((await lab.service.call('GET', '/api/me', { token })).status).toBe(200)
      expect((await lab.service.call('POST', '/api/jobs', { token, body: {} })).status).toBe(403)
      await page.getByRole('button', { name: 'I have stored it' }).click()
      expect(await page.content()).not.toContain(token)

      const row = page.getByRole('row', { name: 'notebook' })
      await row.getByText('read', { exact: true }).waitFor()
      await row.getByRole('button', { name: 'Change' }).click()
      await page.getByLabel('Name').fill('laptop')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('row', { name: 'laptop' }).getByText('from 127.0.0.1').waitFor()
      await page.getByRole('row', { name: 'laptop' }).getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByText('You have no API tokens').waitFor()
      expect((await lab.service.call('GET', '/api/me', { token })).status).toBe(401)
    }))

  test('a webhook is registered, tested, switched off and deleted', () =>
    visit('webhooks', async (page) => {
      await signIn(page, lab.user)
      await page.goto('/settings/webhooks')
      await page.getByRole('button', { name: 'New webhook' }).click()
      await page.getByLabel('Address').fill('https://127.0.0.1:9/hook')
      await page.getByLabel('Description').fill('lab notebook')
      await page.getByRole('button', { name: 'Create' }).click()
      await page.getByRole('dialog').getByText('whsec_').waitFor()
      await page.getByRole('button', { name: 'I have stored it' }).click()
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.getByRole('row', { name: 'webhook.test' }).getByText('nothing listens there').waitFor()
      const more = page.getByRole('button', { name: 'More actions for lab notebook' })
      await more.click()
      await page.getByRole('button', { name: 'Disable' }).click()
      await page.getByText('Disabled', { exact: true }).waitFor()
      await more.click()
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByText('You have no webhooks').waitFor()
    }))

  test('appearance is kept: zone, dates, density and theme, and other tabs follow', () =>
    visit('appearance', async (page) => {
      await page.goto('/settings/appearance')
      const other = await page.context().newPage()
      await other.goto('/')
      await other.getByText('Europe/Stockholm').waitFor()
      await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
      await page.getByLabel('Compact').check()
      await page.getByLabel('Dark').check()
      await other.getByText('Asia/Tokyo, UTC+09:00').waitFor()
      await page.reload()
      expect(await page.locator('html').getAttribute('data-density')).toBe('compact')
      expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')
      expect(await page.getByLabel('Compact').isChecked()).toBe(true)
    }))

  test('a new password keeps this login, ends the others and lists the API tokens that remain', () =>
    visit(
      'password',
      async (page) => {
        await lab.service.call('POST', '/api/tokens', { token: lab.user.token, body: { name: 'pipeline' } })
        await signIn(page, lab.user)
        await page.goto('/settings/profile')
        await page.getByLabel('Current password').fill('not my password')
        await page.getByLabel('New password', { exact: true }).fill('the next password')
        await page.getByLabel('Repeat the new password').fill('the next password')
        await page.keyboard.press('Enter')
        await page.locator('.field.invalid').getByLabel('Current password').waitFor()
        await page.getByLabel('Current password').fill(lab.user.password)
        await page.keyboard.press('Enter')
        const remaining = page.locator('form').getByText('One API token stays valid.')
        await remaining.waitFor()
        expect((await lab.service.call('GET', '/api/me', { token: lab.user.token })).status).toBe(401)
        lab.user.password = 'the next password'
        await page.locator('form').getByRole('button', { name: 'End all of them' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'End all of them' }).click()
        await remaining.waitFor({ state: 'detached' })

        await page.getByRole('button', { name: 'Sign out everywhere' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
        await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      },
      [/400/],
    ))

  test('the palette and the keys reach pages without a mouse', () =>
    visit('palette', async (page) => {
      await page.goto('/')
      await page.getByRole('row', { name: 'kelvin' }).first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Page, QPU, job or action' }).waitFor()
      await page.keyboard.type('appea')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Settings' }).waitFor()
      await page.keyboard.press('g')
      await page.keyboard.press('o')
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await page.keyboard.press('?')
      await page
        .getByRole('dialog', { name: 'Keyboard shortcuts' })
        .getByLabel('Single-key shortcuts')
        .uncheck()
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      expect(await page.getByRole('dialog').count()).toBe(0)
    }))
})
