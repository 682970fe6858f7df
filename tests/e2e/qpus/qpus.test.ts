import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { findChromium, openBrowser, overflowOf, withPage } from '../browser.ts'
import { type Lab, openLab, signIn, signInAsSuperuser } from '../lab.ts'
import { writeChip } from '../stage/chip-file.ts'

const chromium = findChromium()
const HOUR_MS = 3_600_000

describe.skipIf(!chromium)('QPUs', () => {
  let browser: Browser
  let lab: Lab
  let driver: Bun.Subprocess

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab(['--jobs-visibility', 'owner'])
    const chip = await lab.service.createQpu('aurora')
    const file = join(lab.service.folder, 'scheduler.device.yml')
    writeChip(file, 4, 5)
    driver = lab.service.startDriver('aurora', chip, 'aer_sim', [`noise=${file}`])
    await lab.service.untilOnline('aurora')
    await lab.asAdmin('PATCH', `/api/collections/qpus/records/${chip.id}`, {
      device_config: { kept: 1, limits: { readout_fidelity: 0.95 } },
    })
  })
  afterAll(async () => {
    driver.kill('SIGTERM')
    await lab.close()
    await browser.close()
  })

  const visit = (name: string, run: (page: Page) => Promise<void>, expected: RegExp[] = []) =>
    withPage(browser, { name: `qpus-${name}`, baseURL: lab.url, expected }, run)

  test('a guest reads the chip by pointer, by arrow keys and as a table, and the address keeps the view', () =>
    visit('chip', async (page) => {
      await page.goto('/qpus/aurora')
      const qubit = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}: `) })
      // The worst qubit is selected at first; it is below the limit, which the heading says too.
      const worst = page.locator('.qubit [aria-pressed="true"]')
      await worst.waitFor()
      expect(await worst.getAttribute('aria-label')).toMatch(/^q12: Readout fidelity .*, below the limit$/)
      await page.getByText('is beyond its limit:').waitFor()
      expect(await page.locator('.qubit').count()).toBe(20)
      expect(await page.locator('.coupler').count()).toBe(4 * 4 + 3 * 5)

      await qubit('q0').focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowDown')
      await page.getByText(/^q6 Readout fidelity/).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'q6' }).waitFor()
      expect(new URL(page.url()).searchParams.get('element')).toBe('q6')

      await page.getByLabel('Color of the qubits').selectOption('T1')
      await page.getByText(/^q6 T1 /).waitFor()
      await page.getByRole('button', { name: 'Zoom in' }).click()
      await page.getByRole('button', { name: 'Fit' }).click()
      await page.getByRole('button', { name: 'Table' }).click()
      const table = page.getByRole('table', { name: 'Qubits' })
      await table.getByRole('button', { name: /^Readout fidelity/ }).click()
      await table.getByRole('button', { name: /^Readout fidelity/ }).click()
      await page.reload()
      const first = table.locator('tbody tr').first()
      await first.getByRole('button', { name: 'q12' }).waitFor()
      expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
        ...{ element: 'q6', metric: 't1', view: 'table', sort: 'readout_fidelity' },
      })
      await page.setViewportSize({ width: 390, height: 844 })
      expect(await overflowOf(page)).toBe(0)
    }))

  test('a wall screen has no controls, follows the state, and keeps its memory for a day', () =>
    visit('wall', async (page) => {
      await page.clock.install()
      await page.goto('/wall/aurora')
      await page.getByRole('heading', { name: 'aurora', level: 1 }).waitFor()
      for (const role of ['button', 'textbox', 'combobox', 'navigation'] as const)
        expect(await page.getByRole(role).count()).toBe(0)

      const { items } = await lab.asAdmin('GET', '/api/collections/qpus/records', undefined)
      const { id } =
        (items as unknown as { id: string; name: string }[]).find((qpu) => qpu.name === 'aurora') ?? {}
      const maintain = (maintenance: boolean) =>
        lab.asAdmin('POST', '/api/op/qpu/maintenance', { id, maintenance, reason: 'helium' })
      await maintain(true)
      await page.clock.runFor(5_000)
      await page.getByText('Helium.').waitFor()
      await maintain(false)

      const session = await page.context().newCDPSession(page)
      const heapBytes = async () => {
        await session.send('HeapProfiler.collectGarbage')
        return (await session.send('Runtime.getHeapUsage')).usedSize
      }
      const runHours = async (hours: number) => {
        for (let minute = 0; minute < 60 * hours; minute += 10) await page.clock.fastForward(600_000)
      }
      await runHours(1)
      const before = await heapBytes()
      await runHours(24)
      // A leak of one row or listener of each minute would be far more.
      expect((await heapBytes()) - before).toBeLessThan(1_000_000)
      expect(await page.locator('time').innerText()).toMatch(/^\d\d:\d\d$/)
    }))

  test('the queue names own jobs only; superusers see whose the others are', () =>
    visit(
      'queue',
      async (page) => {
        const other = await lab.service.createUser(3_600)
        const mine = await lab.submit(11)
        const body = { circuits: [{ circuit: 'OPENQASM 3.0; qubit q; bit c; c = measure q;' }], shots: 22 }
        const send = { ...body, name: 'secret name', qpu_target: lab.qpu.id }
        await lab.service.call('POST', '/api/jobs', { token: other.token, body: send })
        await signIn(page, lab.user)
        await page.goto('/qpus/kelvin')
        const queue = page.getByRole('table', { name: 'Queue' })
        await queue.getByRole('link', { name: 'Your job' }).waitFor()
        expect(await queue.locator('tbody tr').allTextContents()).toEqual([
          expect.stringMatching(/^1Your job11/),
          expect.stringMatching(/^2another user22/),
        ])
        await page.getByText('Jobs wait until its driver connects').waitFor()
        // Live: a job that leaves the queue leaves the page.
        await lab.service.call('POST', `/api/jobs/${mine}/cancel`, { token: lab.user.token })
        await queue.getByRole('link', { name: 'Your job' }).waitFor({ state: 'detached' })
        expect(await page.getByText('secret name').count()).toBe(0)
        await page.evaluate(() => localStorage.clear())
        await signInAsSuperuser(page, lab.admin)
        await page.goto('/qpus/kelvin')
        await queue.getByRole('link', { name: 'secret name' }).waitFor()
        await queue.getByText('user@example.org').waitFor()
        // A deletion that is refused changes nothing, and the page stays.
        await page.getByRole('button', { name: 'Actions for kelvin' }).click()
        await page.getByRole('button', { name: 'Delete…' }).click()
        await page.getByRole('dialog').getByRole('textbox').fill('kelvin')
        await page.getByRole('button', { name: 'Delete QPU' }).click()
        await page.getByText(/kelvin was not deleted: 1 jobs are pending/).waitFor()
        expect(new URL(page.url()).pathname).toBe('/qpus/kelvin')
        const filter = encodeURIComponent(`qpu = "${lab.qpu.id}"`)
        const drivers = `/api/collections/drivers/records?filter=${filter}`
        const { body: left } = await lab.service.call('GET', drivers, { token: lab.admin.token })
        expect(left['totalItems']).toBe(1)
      },
      [/status of 400/],
    ))

  test('medians have their course over 14 days, and the history of a value its drift', () =>
    visit('course', async (page) => {
      const { body } = await lab.service.call('GET', '/api/qpus/aurora')
      for (const [days, t1] of [
        [6, 6e-5],
        [4, 5.5e-5],
        [2, 5e-5],
      ] as const) {
        const parameters = { 'coherence.t1': { value: t1, error: 1e-6, unit: 's' } }
        await lab.asAdmin('POST', '/api/collections/calibration_results/records', {
          ...{ qpu: body['id'], mode: 'full', status: 'success' },
          finished_at: new Date(Date.now() - days * 24 * HOUR_MS).toISOString(),
          routines: [{ routine: 't1', target: 'q3', status: 'success', parameters }],
        })
      }
      await signIn(page, lab.user)
      await page.goto('/qpus/aurora?element=q3&history=t1')
      await page.getByRole('img', { name: /^Median T1 after 3 calibrations in 14 days, from 60/ }).waitFor()
      await page.getByRole('figure', { name: 'T1 of q3 in the last 30 days' }).waitFor()
      await page.getByText('drift of the last 14 days').waitFor()
    }))

  test('a superuser drains, maintains, limits, registers and deletes QPUs; the token is shown once', () =>
    visit('operate', async (page) => {
      await signInAsSuperuser(page, lab.admin)
      await page.goto('/qpus')
      const row = page.getByRole('row', { name: /^aurora/ })
      const act = async (action: string) => {
        await row.getByRole('button', { name: 'Actions for aurora' }).click()
        await page.getByRole('button', { name: action, exact: true }).click()
      }
      await act('Drain…')
      await page.getByLabel('Reason').fill('cable swap')
      await page.getByRole('button', { name: 'Drain', exact: true }).click()
      await row.locator('.status').getByText('Draining').waitFor()
      await row.getByText('Cable swap').waitFor()
      await act('End drain')
      await row.locator('.status').getByText('Online').waitFor()

      await act('Start maintenance…')
      await page.getByRole('button', { name: 'Start maintenance', exact: true }).click()
      await page.getByText('Users read the reason').waitFor()
      await page.getByLabel('Reason').fill('warm-up')
      await page.getByLabel('Expected end').fill('2099-01-02T03:04')
      await page.getByRole('button', { name: 'Start maintenance', exact: true }).click()
      await row.locator('.status').getByText('Maintenance').waitFor()
      await row.getByText(/^Warm-up, since .*, until 2 Jan 2099, 03:04$/).waitFor()
      await act('End maintenance')
      await row.locator('.status').getByText('Online').waitFor()

      await page.goto('/qpus/aurora')
      await page.getByRole('button', { name: 'Limits…' }).click()
      await page.getByLabel('T1 at least, µs').fill('1')
      await page.getByLabel('Readout fidelity at least, %').fill('50')
      await page.getByRole('button', { name: 'Set limits' }).click()
      await page.getByText('is beyond its limit').waitFor({ state: 'detached' })
      const { body } = await lab.service.call('GET', '/api/qpus/aurora')
      expect(body['device_config']).toEqual({ kept: 1, limits: { readout_fidelity: 0.5, t1: 1e-6 } })

      await page.goto('/qpus')
      await page.getByRole('button', { name: 'Register a QPU' }).click()
      await page.getByLabel('Name').fill('new-one')
      await page.getByRole('button', { name: 'Register', exact: true }).click()
      await page.getByRole('heading', { name: 'new_one is registered' }).waitFor()
      const token = (await page.locator('figure.code pre').first().textContent()) ?? ''
      expect(token.length).toBeGreaterThan(20)
      await page.getByRole('button', { name: 'I have saved the token' }).click()
      await page.getByRole('row', { name: /^new_one/ }).waitFor()
      expect(await page.content()).not.toContain(token)
      await page.getByRole('button', { name: 'Actions for new_one' }).click()
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('dialog').getByRole('textbox').fill('new_one')
      await page.getByRole('button', { name: 'Delete QPU' }).click()
      await page.getByRole('row', { name: /^new_one/ }).waitFor({ state: 'detached' })
    }))
})
