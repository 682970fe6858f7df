import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { until } from '../../support/until.ts'
import { accessibilityProblems, findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab, signInAsSuperuser } from '../lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('the order of lists', () => {
  let browser: Browser
  let lab: Lab

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    await lab.service.createQpu('aurora')
    await lab.service.createQpu('zephyr')
    await lab.connect()
    const job = await lab.submit()
    await until('the job to end', async () => {
      const { body } = await lab.service.call('GET', `/api/jobs/${job}`, { token: lab.user.token })
      return body['status'] === 'completed'
    })
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const names = (page: Page, table: string) =>
    page.getByRole('table', { name: table }).getByRole('rowheader').allTextContents()

  test('heads sort, and a link keeps order and columns; the file has both; who used most is one click', () =>
    withPage(browser, { name: 'order', baseURL: lab.url }, async (page) => {
      await signInAsSuperuser(page, lab.admin)
      await page.goto('/qpus')
      const head = page.getByRole('columnheader', { name: 'QPU' }).getByRole('button')
      await head.click()
      expect(await names(page, 'QPUs')).toEqual(['aurora', 'kelvin', 'zephyr'])
      await head.click()
      await page.goto(`${page.url()}&without=Running`)
      await page.getByRole('table', { name: 'QPUs' }).waitFor()
      expect(await names(page, 'QPUs')).toEqual(['zephyr', 'kelvin', 'aurora'])
      expect(await page.getByRole('columnheader', { name: 'Running' }).count()).toBe(0)
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ])
      const lines = (await Bun.file(await file.path()).text()).split('\r\n')
      expect(lines[0]).toBe('QPU,Status,Queue,Qubits,Calibrated')
      expect(lines.slice(1, 4).map((line) => line.split(',')[0])).toEqual(['zephyr', 'kelvin', 'aurora'])
      expect(await accessibilityProblems(page)).toEqual([])

      await page.goto('/accounting')
      await page.getByRole('link', { name: 'Who used most this month' }).click()
      const time = page.getByRole('columnheader', { name: 'QPU time' })
      await page.getByRole('table', { name: 'Usage' }).getByText(lab.user.email).waitFor()
      expect(await time.getAttribute('aria-sort')).toBe('descending')
      await page.getByRole('columnheader', { name: 'Jobs' }).getByRole('button').click()
      await page.waitForURL(/sort=-jobs/)
      expect(await names(page, 'Usage')).toEqual([lab.user.email])
      expect(await accessibilityProblems(page)).toEqual([])
    }))

  test('jobs sort by their submission, and the link keeps it; a paged list is saved whole, as it is shown', () =>
    withPage(browser, { name: 'order-jobs', baseURL: lab.url }, async (page) => {
      const second = await lab.submit()
      await signInAsSuperuser(page, lab.admin)
      await page.goto('/jobs')
      const rows = page.getByRole('table', { name: 'Jobs' }).getByRole('row')
      await rows
        .nth(1)
        .filter({ hasText: second.slice(-6) })
        .waitFor()
      await page.getByRole('columnheader', { name: 'Submitted' }).getByRole('button').click()
      await page.waitForURL(/sort=created/)
      await page.reload()
      await rows
        .nth(2)
        .filter({ hasText: second.slice(-6) })
        .waitFor()
      expect(await accessibilityProblems(page)).toEqual([])

      await page.goto('/users?sort=-email&without=Name')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save as CSV' }).click(),
      ])
      const lines = (await Bun.file(await file.path()).text()).split('\r\n')
      expect(lines[0]).toBe('E-mail,State,Balance,"Used, last 30 days",Tokens,Last login')
      expect(lines[1]).toStartWith(lab.user.email)
      expect(await accessibilityProblems(page)).toEqual([])
    }))
})
