import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { accessibilityProblems, findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab, signIn, signInAsSuperuser } from '../lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('the palette', () => {
  let browser: Browser
  let lab: Lab

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab()
  })
  afterAll(async () => {
    await browser?.close()
    await lab?.close()
  })

  const visit = (name: string, run: (page: Page) => Promise<void>) =>
    withPage(browser, { name, baseURL: lab.url }, run)

  /** Opens the palette and chooses what comes first for a text. */
  async function choose(page: Page, text: string, first: string): Promise<void> {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Page, QPU, job or action' }).fill(text)
    await page.locator('#palette-0', { hasText: first }).waitFor()
    await page.keyboard.press('Enter')
  }

  test('puts a QPU into maintenance and back from the keyboard, asking as the button does', () =>
    visit('palette maintenance', async (page) => {
      await signInAsSuperuser(page, lab.admin)
      await page.getByRole('row', { name: 'kelvin' }).first().waitFor()
      await choose(page, 'maintenance kel', 'Start maintenance kelvin')
      await page.getByRole('dialog', { name: 'Start maintenance of kelvin' }).waitFor()
      expect(await accessibilityProblems(page)).toEqual([])
      await page.keyboard.type('new amplifier')
      await page.keyboard.press('Enter')
      await page.getByText('kelvin is in maintenance').waitFor()
      await choose(page, 'maintenance kel', 'End maintenance kelvin')
      await page.getByText('The maintenance of kelvin has ended').waitFor()
      await choose(page, 'calibrate kel', 'Calibrate kelvin')
      await page.getByRole('heading', { name: 'Calibrations' }).first().waitFor()
    }))

  test('takes every key that follows Ctrl+K, before its parts have arrived, too', () =>
    visit('palette at once', async (page) => {
      await signIn(page, lab.user)
      await page.getByRole('row', { name: 'kelvin' }).first().waitFor()
      let release = () => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/Choice-*.js', async (route) => {
        await held
        await route.continue()
      })
      // Keys of shortcuts among them: n, b, g j.
      await page.keyboard.press('Control+k')
      await page.keyboard.type('bookings', { delay: 0 })
      await page.keyboard.press('Enter')
      expect(await page.getByRole('combobox', { name: 'Page, QPU, job or action' }).inputValue()).toBe(
        'bookings',
      )
      expect(new URL(page.url()).pathname).toBe('/')
      release()
      await page.waitForURL('**/bookings')
    }))

  test('finds users, drivers and the jobs of others for superusers', () =>
    visit('palette records', async (page) => {
      const id = await lab.submit()
      await lab.service.call('PATCH', `/api/jobs/${id}`, {
        token: lab.user.token,
        body: { name: 'teleport' },
      })
      await signInAsSuperuser(page, lab.admin)
      await choose(page, 'lindq', lab.user.email)
      await page.waitForURL('**/users?q=*')
      await choose(page, 'telep', `teleport ${id}`)
      await page.waitForURL(`**/jobs/${id}`)
    }))

  test('cancels a job of the user, and searches the documentation', () =>
    visit('palette cancel', async (page) => {
      const id = await lab.submit()
      await signIn(page, lab.user)
      await choose(page, `cancel ${id.slice(0, 10)}`, `Cancel job ${id}`)
      await page.getByText('Cancelled').first().waitFor()
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Page, QPU, job or action' }).fill('drain')
      await page.getByRole('option', { name: 'Search the documentation for “drain”' }).click()
      await page.getByRole('dialog').getByRole('option').first().waitFor()
      expect(await page.getByRole('combobox', { name: 'Search the documentation' }).inputValue()).toBe(
        'drain',
      )
    }))
})
