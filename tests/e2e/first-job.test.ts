/** The browser test of the gate. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { findChromium, openBrowser, withPage } from './browser.ts'
import { type Lab, openLab } from './lab.ts'

setDefaultTimeout(240_000)

const chromium = findChromium()

describe.skipIf(!chromium)('the first job', () => {
  let browser: Browser
  let lab: Lab

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab()
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  test('a user signs in, submits a Bell pair, watches it live and sees its counts', () =>
    withPage(browser, { name: 'first-job', baseURL: lab.url, expected: [/status of 400/] }, async (page) => {
      await page.goto('/')
      const qpu = page.getByRole('row', { name: 'kelvin' })
      await qpu.getByText('Offline').waitFor()
      await qpu.getByText('Jobs wait until its driver connects').waitFor()
      await page.getByText('Sign in to see your jobs').waitFor()

      await page.getByRole('main').getByRole('link', { name: 'New job' }).click()
      await page.getByLabel('E-mail').fill(lab.user.email)
      await page.getByLabel('Password').fill('a wrong password')
      await page.keyboard.press('Enter')
      await page.getByText('The e-mail or the password is wrong').waitFor()
      await page.getByLabel('Password').fill(lab.user.password)
      await page.keyboard.press('Enter')

      await page.getByRole('heading', { name: 'New job' }).waitFor()
      await page.getByLabel('OpenQASM program').getByText('cx q[0], q[1];').waitFor()
      await page.getByLabel('QPU', { exact: true }).selectOption('kelvin, offline')
      await page.getByRole('button', { name: 'Submit' }).click()
      await page.getByRole('heading', { name: /^Job \w{15}$/ }).waitFor()
      await page.getByText('Pending, 1st').waitFor()
      await page.getByText('Waiting:').waitFor()

      await lab.connect()
      await page.locator('.heading').getByText('Completed').waitFor()
      const histogram = page.getByRole('img', { name: 'Histogram of counts' })
      await histogram.waitFor()
      expect(await histogram.getAttribute('aria-label')).toMatch(/00: \d+|11: \d+/)
      await page.getByText('Table of 2 outcomes').click()
      const counts = await page
        .getByLabel('Counts as a table')
        .locator('tbody td:nth-child(2)')
        .allTextContents()
      expect(counts.map(Number).reduce((sum, count) => sum + count, 0)).toBe(1_000)

      await page.getByRole('link', { name: 'Overview' }).click()
      await page.getByRole('row', { name: 'kelvin' }).getByText('Online').first().waitFor()
      await page.getByRole('heading', { name: 'Latest result' }).waitFor()
      await page.getByRole('button', { name: lab.user.email }).click()
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('Sign in to see your jobs').waitFor()
      expect(await page.getByRole('heading', { name: 'Latest result' }).count()).toBe(0)
    }))
})
