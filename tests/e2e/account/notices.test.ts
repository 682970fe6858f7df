import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab, signIn } from '../lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('notices', () => {
  let browser: Browser
  let lab: Lab
  let other: { email: string; password: string }

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab()
    other = { email: 'osei@lab.example', password: 'yet another password' }
    await lab.asAdmin('POST', '/api/collections/users/records', {
      ...other,
      passwordConfirm: other.password,
    })
  })
  afterAll(async () => {
    await browser?.close()
    await lab?.close()
  })

  const visit = (name: string, run: (page: Page) => Promise<void>, expected: RegExp[] = []) =>
    withPage(browser, { name, baseURL: lab.url, expected, timezoneId: 'Europe/Stockholm' }, run)

  async function signInAsSuperuser(page: Page): Promise<void> {
    await page.goto('/login')
    await page.getByRole('button', { name: 'Sign in as a superuser' }).click()
    await signInWith(page, lab.admin)
  }

  async function signInWith(page: Page, { email, password }: typeof other): Promise<void> {
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  }

  test('a superuser writes notices; they appear on an open page and stay until each user dismisses them', () =>
    visit('notices', async (reader) => {
      await signIn(reader, lab.user)
      await reader.getByRole('button', { name: 'Notices', exact: true }).waitFor()
      await visit('notices-writer', async (writer) => {
        await signInAsSuperuser(writer)
        await writer.goto('/notices')
        await writer.getByRole('button', { name: 'New notice' }).first().click()
        await writer.getByLabel('Title').fill('halcyon_2 is warm')
        await writer.getByLabel('Text').fill('Jobs **wait** <img src=x onerror=alert(1)>')
        await writer.getByLabel('Preview').locator('strong', { hasText: 'wait' }).waitFor()
        expect(await writer.locator('dialog img').count()).toBe(0)
        await writer.getByRole('button', { name: 'Publish' }).click()
        await writer.getByRole('row', { name: 'halcyon_2 is warm' }).getByText('everybody').waitFor()

        await writer.getByRole('button', { name: 'New notice' }).first().click()
        await writer.getByLabel('Title').fill('Only for Osei')
        await writer.getByLabel('Chosen users').check()
        await writer.getByRole('button', { name: 'Publish' }).click()
        await writer.getByText('Choose at least one user').waitFor()
        await writer.getByLabel('Find users').fill('osei')
        await writer.getByRole('button', { name: 'Add osei@lab.example' }).click()
        await writer.getByRole('button', { name: 'Publish' }).click()
        await writer.getByRole('row', { name: 'Only for Osei' }).getByText('one user').waitFor()
        // What is addressed to others is not news for a superuser.
        await writer.getByRole('button', { name: 'Notices, 1 unread' }).click()
        await writer.getByRole('button', { name: 'Dismiss halcyon_2 is warm' }).click()
        await writer.getByRole('button', { name: 'Notices', exact: true }).waitFor()
      })
      // It arrived on the open page, without a reload.
      await reader.getByRole('button', { name: 'Notices, 1 unread' }).click()
      const bell = reader.getByRole('banner')
      await bell.getByRole('button', { name: 'Dismiss halcyon_2 is warm' }).click()
      await reader.getByRole('button', { name: 'Notices', exact: true }).waitFor()
    }))

  test('dismissed by one user, a notice stays for others, who also see those addressed to them', () =>
    visit('notices-other', async (page) => {
      await page.goto('/login')
      await signInWith(page, other)
      await page.getByRole('button', { name: 'Notices, 2 unread' }).click()
      await page.getByRole('banner').getByRole('link', { name: 'All notices' }).click()
      await page.getByRole('main').getByRole('heading', { name: 'Only for Osei' }).waitFor()
      await page.getByRole('main').getByRole('button', { name: 'Dismiss all' }).click()
      await page.getByRole('main').getByText('No new notices').waitFor()
    }))

  test('a dismissal that fails says so and keeps the notice', () =>
    visit(
      'notices-failure',
      async (page) => {
        await lab.asAdmin('POST', '/api/collections/notifications/records', { title: 'Power test' })
        await signIn(page, lab.user)
        await page.goto('/notices')
        const envelope = { status: 429, message: 'Too many requests', code: 'too_many', data: {} }
        await page.route('**/api/notifications/*/dismiss', (route) =>
          route.fulfill({ status: 429, contentType: 'application/json', body: JSON.stringify(envelope) }),
        )
        await page.getByRole('main').getByRole('button', { name: 'Dismiss Power test' }).click()
        await page.getByText('Could not dismiss: Too many requests').waitFor()
        await page.getByRole('heading', { name: 'Power test' }).waitFor()
      },
      [/429/],
    ))

  test('the end is changed of a notice that begins in the hour that the clock repeats', async () => {
    // 02:30 in winter time, the second one of that night.
    const times = { start_time: '2027-10-31 01:30:12.000Z', end_time: '2027-10-31 08:00:00.000Z' }
    const path = '/api/collections/notifications/records'
    const { id } = await lab.asAdmin('POST', path, { title: 'Winter time', ...times })
    await visit('notices-repeated-hour', async (page) => {
      await signInAsSuperuser(page)
      await page.goto('/notices')
      await page.getByRole('button', { name: 'Winter time', exact: true }).click()
      await page.getByLabel('Until').fill('2027-10-31T10:00')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('The notice was changed.').waitFor()
    })
    const { body } = await lab.service.call('GET', `${path}/${id}`, { token: lab.admin.token })
    expect(body).toMatchObject({ ...times, end_time: '2027-10-31 09:00:00.000Z' })
  })

  test('users may not write notices or open pages of superusers; licenses are public', () =>
    visit('roles', async (page) => {
      await page.goto('/licenses')
      await page.getByRole('row', { name: 'preact' }).first().waitFor()
      await page.getByLabel('Filter by name or license').fill('zlib')
      await page.getByRole('row', { name: 'preact' }).first().waitFor({ state: 'detached' })
      await signIn(page, lab.user)
      await page.goto('/notices')
      await page.getByRole('heading', { name: 'Notices' }).waitFor()
      expect(await page.getByRole('button', { name: 'New notice' }).count()).toBe(0)
      expect(await page.getByRole('navigation', { name: 'Pages' }).getByText('Administration').count()).toBe(
        0,
      )
    }))
})
