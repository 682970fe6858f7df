import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser } from 'playwright-core'
import { accessibilityProblems, findChromium, openBrowser, overflowOf, withPage } from '../browser.ts'
import { type Lab, openLab, signIn } from '../lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('availability', () => {
  let browser: Browser
  let lab: Lab
  let driver: Bun.Subprocess

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    driver = lab.service.startDriver('kelvin', lab.qpu)
    await lab.service.untilOnline('kelvin')
    const maintenance = (on: boolean, reason: string) =>
      lab.asAdmin('POST', '/api/op/qpu/maintenance', { id: lab.qpu.id, maintenance: on, reason })
    await maintenance(true, 'trap exchange')
    await maintenance(false, '')
  })
  afterAll(async () => {
    driver.kill('SIGKILL')
    await lab.close()
    await browser.close()
  })

  test('a driver that does not answer shows before it is offline, and why it was offline two clicks away', () =>
    withPage(browser, { name: 'availability', baseURL: lab.url }, async (page) => {
      await page.setViewportSize({ width: 1360, height: 768 })
      await signIn(page, lab.user)
      driver.kill('SIGSTOP')
      // On the overview, without a reload: 11 s after its last byte, and 4 s before it is offline.
      const main = page.getByRole('main')
      await main.getByText('Silent').first().waitFor()
      expect((await lab.service.call<{ status: string }>('GET', '/api/qpus/kelvin')).body.status).toBe(
        'online',
      )
      await main.getByText('Offline').first().waitFor()
      driver.kill('SIGCONT')
      await lab.service.untilOnline('kelvin')
      await main.getByText('Online').first().waitFor()

      await main.getByRole('link', { name: 'kelvin' }).first().click()
      const panel = page.getByRole('region', { name: 'Availability' })
      await panel.getByText(/^Offline, .*: its driver was silent$/).waitFor()
      await panel.getByText(/^Maintenance, .*: trap exchange$/).waitFor()
      const day = page.getByRole('img', { name: /^kelvin, last 24 hours: .*its driver was silent/ })
      expect(await day.count()).toBe(1)
      expect(await accessibilityProblems(page)).toEqual([])
    }))

  test('the list and the wall have the strips of a day and a week, for guests too', () =>
    withPage(browser, { name: 'strips', baseURL: lab.url }, async (page) => {
      for (const path of ['/qpus', '/wall/kelvin']) {
        await page.goto(path)
        await page.getByRole('img', { name: /^kelvin, last 24 hours: .*trap exchange/ }).waitFor()
        expect(await page.getByRole('img', { name: /^kelvin, last 7 days: / }).count()).toBe(1)
        await page.setViewportSize({ width: 390, height: 844 })
        expect(await overflowOf(page)).toBe(0)
        await page.setViewportSize({ width: 1360, height: 768 })
      }
    }))
})
