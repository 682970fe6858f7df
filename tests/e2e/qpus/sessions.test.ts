import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { accessibilityProblems, findChromium, openBrowser, overflowOf, withPage } from '../browser.ts'
import { type Account, type Lab, openLab, signIn, signInAsSuperuser } from '../lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('sessions', () => {
  let browser: Browser
  let lab: Lab
  const other: Account = { email: 'ferreira@lab.example', password: 'a long password' }

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    const body = { ...other, passwordConfirm: other.password, username: 'ferreira', qpu_seconds: 600 }
    await lab.asAdmin('POST', '/api/collections/users/records', body)
    await lab.connect(0.01)
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const hold = async (body: object = {}) => {
    const wanted = { qpu_target: 'kelvin', seconds: 1_800, idle_seconds: 600, ...body }
    const { body: started } = await lab.service.call<{ id: string }>('POST', '/api/sessions', {
      token: lab.user.token,
      body: wanted,
    })
    const path = `/api/sessions/${started.id}?wait=30`
    await lab.service.call('GET', path, { token: lab.user.token })
    return started.id
  }

  test('the holder sees, extends and ends a session; the job of another user waits for it and says until when', async () => {
    await hold()
    await withPage(browser, { name: 'sessions-other', baseURL: lab.url }, async (waiting) => {
      await signIn(waiting, other)
      await waiting.getByText(/held by another user until \d\d:\d\d/).waitFor()
      await waiting.goto('/jobs/new?qpu=kelvin')
      await waiting.getByRole('button', { name: /^Submit/ }).click()
      await waiting.getByText(/^Waiting: The QPU is held by the session of another user \(until/).waitFor()
      await waiting.getByText(/at the latest, so the job starts by/).waitFor()

      await withPage(browser, { name: 'sessions-own', baseURL: lab.url }, async (page) => {
        await page.setViewportSize({ width: 1360, height: 768 })
        await signIn(page, lab.user)
        await page.getByText(/held by you until \d\d:\d\d, idle \d+ (s|min)/).waitFor()
        await page.getByRole('img', { name: /Your session \d\d:\d\d–\d\d:\d\d/ }).waitFor()
        await page.getByRole('main').getByRole('link', { name: 'kelvin', exact: true }).first().click()
        const panel = page.getByRole('region', { name: 'Your sessions' })
        await panel.getByText(/^Active until \d\d:\d\d, idle /).waitFor()
        await page.getByRole('img', { name: /^kelvin, last 24 hours: .*Session, / }).waitFor()
        expect(await accessibilityProblems(page)).toEqual([])
        await panel.getByRole('button', { name: /^Extend… the session/ }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel(/^Length/).fill('60')
        expect(await accessibilityProblems(page)).toEqual([])
        await dialog.getByRole('button', { name: 'Change' }).click()
        await page.getByText(/^It lasts until \d\d:\d\d\.$/).waitFor()

        await page.goto('/bookings?qpu=kelvin')
        await page.getByText(/^kelvin is yours until/).waitFor()
        await page.getByText('Your session').first().waitFor()
        await page.setViewportSize({ width: 390, height: 844 })
        expect(await overflowOf(page)).toBe(0)
        await page.getByRole('button', { name: /^End… the session/ }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'End the session' }).click()
        await page.getByText('The session has ended.').waitFor()
        await page.getByRole('region', { name: 'Your sessions' }).waitFor({ state: 'detached' })
      })
      // The job of the other user runs as soon as the session has ended.
      await waiting.getByText('Completed').first().waitFor()
    })
  })

  test('a superuser ends a session with a reason, and sees whose it is', async () => {
    const id = await hold()
    await withPage(browser, { name: 'sessions-operator', baseURL: lab.url }, async (page) => {
      await signInAsSuperuser(page, lab.admin)
      await page.goto('/qpus/kelvin')
      const panel = page.getByRole('region', { name: 'Sessions' })
      await panel.getByText(lab.user.email).waitFor()
      await panel.getByRole('button', { name: /^End… the session/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(/^Reason/).fill('cooling')
      await dialog.getByRole('button', { name: 'End the session' }).click()
      await page.getByText('The session has ended.').waitFor()
      const path = `/api/sessions/${id}`
      const { body } = await lab.service.call<object>('GET', path, { token: lab.user.token })
      expect(body).toMatchObject({ state: 'closed', end_reason: 'cooling' })
    })
  })
})
