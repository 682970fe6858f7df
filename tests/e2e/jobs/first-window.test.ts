import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { STEPWISE } from '../../support/devices/stepwise.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab } from '../lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('what one came for', () => {
  let browser: Browser
  let lab: Lab
  let job: string

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    await lab.connect()
    job = await lab.submit()
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  const visit = (name: string, run: (page: Page) => Promise<void>) => {
    const record = { id: lab.user.id, collectionName: 'users', email: lab.user.email }
    const value = JSON.stringify({ token: lab.user.token, record })
    const origins = [{ origin: lab.url, localStorage: [{ name: 'svc.session', value }] }]
    return withPage(browser, { name, baseURL: lab.url, storageState: { cookies: [], origins } }, run)
  }

  test.each([
    [1360, 768],
    [390, 844],
  ])('is in the first window of %d × %d', async (width, height) => {
    await visit('first window', async (page) => {
      await page.setViewportSize({ width, height })
      for (const [path, name] of [
        ['/jobs/new', 'Submit'],
        ['/bookings', 'Book a slot'],
      ] as const) {
        await page.goto(path)
        const button = page.getByRole('button', { name, exact: true }).or(page.getByRole('link', { name }))
        await button.first().click({ trial: true })
        const box = await button.first().boundingBox()
        expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThanOrEqual(height)
      }
      await page.goto(`/jobs/${job}`)
      await page.getByRole('list', { name: 'Progress' }).getByText('1 000 shots').waitFor()
      const plot = page.locator('section', { has: page.getByRole('heading', { name: 'Counts' }) })
      const [bars, details] = [
        await plot.locator('svg').first().boundingBox(),
        await page.getByRole('heading', { name: 'Details' }).boundingBox(),
      ]
      expect(bars?.y).toBeLessThan(height - 150)
      expect(details?.y).toBeGreaterThan(bars?.y ?? Number.POSITIVE_INFINITY)
    })
  })

  test('a sweep is its plot where the latest result is shown', async () => {
    const circuit =
      'OPENQASM 3.0;\ninclude "stdgates.inc";\ninput float theta;\nqubit q;\nbit c;\nrx(theta) q;\nc = measure q;\n'
    const values = Array.from({ length: 9 }, (_, at) => [at / 3])
    const body = {
      qpu_target: lab.qpu.id,
      shots: 100,
      circuits: [{ circuit, parameter_values: values }],
      name: 'newest sweep',
    }
    const { body: created } = await lab.service.call('POST', '/api/jobs', { token: lab.user.token, body })
    const id = String(created['id'])
    await visit('latest sweep', async (page) => {
      await page.goto(`/jobs/${id}`)
      await page.locator('.heading').getByText('Completed').waitFor()
      await page.goto('/')
      const panel = page.locator('section', { has: page.getByRole('heading', { name: 'Latest result' }) })
      await panel.getByRole('link', { name: 'newest sweep' }).waitFor()
      await panel.getByRole('img', { name: /: 9 points against theta$/ }).waitFor()
      expect(await panel.getByRole('combobox').count()).toBe(0)
    })
  })

  test('results of circuits appear one by one, also while the device reports the same progress', async () => {
    const gate = join(lab.service.folder, 'gate')
    const qpu = await lab.service.createQpu('stepwise')
    const driver = lab.service.startDriver('stepwise', qpu, STEPWISE, [`gate=${gate}`])
    await lab.service.untilOnline('stepwise')
    const circuit = 'OPENQASM 3.0; qubit q; bit c; c = measure q;'
    const body = { qpu_target: qpu.id, shots: 10, circuits: [{ circuit }, { circuit }, { circuit }] }
    const { body: created } = await lab.service.call('POST', '/api/jobs', { token: lab.user.token, body })
    await visit('one by one', async (page) => {
      await page.goto(`/jobs/${String(created['id'])}`)
      for (const ended of [1, 2]) {
        writeFileSync(gate, 'x'.repeat(ended))
        await page.getByText(`${ended} of 3 circuits`).waitFor()
      }
      writeFileSync(gate, 'xxx')
      await page.locator('.heading').getByText('Completed').waitFor()
    })
    driver.kill()
    await driver.exited
  })
})
