import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { BELL } from '../../support/executable/service.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab, signIn, signInAsSuperuser } from '../lab.ts'
import { writeChip } from '../stage/chip-file.ts'

const chromium = findChromium()
const HOUR_MS = 3_600_000

describe.skipIf(!chromium)('overview', () => {
  let browser: Browser
  let lab: Lab
  let driver: Bun.Subprocess

  beforeAll(async () => {
    browser = await openBrowser(chromium ?? '')
    lab = await openLab()
    const chip = await lab.service.createQpu('aurora')
    const file = join(lab.service.folder, 'scheduler.device.yml')
    writeChip(file, 3, 3)
    driver = lab.service.startDriver('aurora', chip, 'aer_sim', [`noise=${file}`])
    await lab.service.untilOnline('aurora')
    const book = (from: number, to: number, user: string) =>
      lab.asAdmin('POST', '/api/collections/time_slots/records', {
        start_time: new Date(Date.now() + from * HOUR_MS).toISOString(),
        end_time: new Date(Date.now() + to * HOUR_MS).toISOString(),
        qpu: chip.id,
        booked_by: user,
      })
    const other = await lab.service.createUser(3_600)
    await book(1, 2, other.id)
    await book(3, 6, lab.user.id)
  })
  afterAll(async () => {
    driver.kill('SIGTERM')
    await lab.close()
    await browser.close()
  })

  const visit = (name: string, run: (page: Page) => Promise<void>) =>
    withPage(browser, { name: `overview-${name}`, baseURL: lab.url, timezoneId: 'Europe/Stockholm' }, run)

  test('a guest sees slots without names and a chip; a user sees which slot is the own one', () =>
    visit('schedule', async (page) => {
      await page.goto('/')
      const lane = page.getByRole('row', { name: /aurora/ }).getByRole('img')
      await lane.waitFor()
      const described = async () => (await lane.getAttribute('aria-label')) ?? ''
      expect((await described()).match(/Booked/g)).toHaveLength(2)
      await page.getByRole('heading', { name: 'aurora chip' }).waitFor()
      await page.getByRole('link', { name: 'aurora' }).first().waitFor()
      expect(await page.getByRole('heading', { name: 'Notices' }).count()).toBe(0)

      await signIn(page, lab.user)
      await page.getByText('You have no jobs yet').waitFor()
      await page.waitForFunction(() => document.querySelector('.bar.mine') !== null)
      expect(await described()).toMatch(/Your slot \d\d:\d\d–\d\d:\d\d/)
      expect(await page.locator('.bar.booked').count()).toBe(1)
    }))

  test('the schedule shows chosen QPUs, which the address keeps', () =>
    visit('chosen', async (page) => {
      await page.goto('/')
      const lanes = page.locator('table.ribbon tbody tr')
      await lanes.nth(1).waitFor()
      await page.getByText('All QPUs').click()
      await page.getByRole('checkbox', { name: 'aurora' }).check()
      await lanes.nth(1).waitFor({ state: 'detached' })
      await page.reload()
      await page.getByText('1 of 2 QPUs').click()
      await page.getByRole('row', { name: /aurora/ }).waitFor()
      expect(new URL(page.url()).searchParams.getAll('qpu')).toEqual(['aurora'])
      await page.getByRole('button', { name: 'Show all' }).click()
      await lanes.nth(1).waitFor()
    }))

  test('the schedule shows other days by date, also those of 23 and 25 hours', () =>
    visit('days', async (page) => {
      await page.goto('/?day=2026-03-29')
      await page
        .getByRole('heading', { name: 'Schedule, Sunday 29 March, 23 h: the clocks change' })
        .waitFor()
      await page.goto('/?day=2026-10-25')
      await page.getByRole('heading', { name: /25 October, 25 h/ }).waitFor()
      await page.getByRole('button', { name: 'Next day' }).click()
      await page.getByRole('heading', { name: 'Schedule, Monday 26 October' }).waitFor()
      expect(new URL(page.url()).searchParams.get('day')).toBe('2026-10-26')
      await page.getByRole('button', { name: 'Today' }).click()
      await page.getByText(/^now \d\d:\d\d$/).waitFor()
      expect(new URL(page.url()).search).toBe('')
    }))

  test('the first job is one press away, and a dismissed notice stays dismissed', () =>
    visit('first-job', async (page) => {
      await lab.asAdmin('POST', '/api/collections/notifications/records', {
        title: 'Warm-up on Monday',
        description: 'The cryostat is warm until Tuesday.',
      })
      await signIn(page, lab.user)
      await page.getByRole('main').getByText('Warm-up on Monday').first().waitFor()
      await page.getByRole('main').getByRole('button', { name: 'Dismiss Warm-up on Monday' }).click()
      await page.getByRole('heading', { name: 'Notices' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Run it' }).click()
      await page.locator('.heading').getByText('Completed').waitFor()
      await page.goto('/')
      await page.getByRole('heading', { name: 'Latest result' }).waitFor()
      expect(await page.getByRole('main').getByText('Warm-up on Monday').count()).toBe(0)
    }))

  test('a sweep whose plot cannot be loaded says so, and shows it at the next try', () =>
    withPage(
      browser,
      { name: 'overview-sweep', baseURL: lab.url, expected: [/Failed to load resource/] },
      async (page) => {
        await signIn(page, lab.user)
        const panel = page.getByRole('region', { name: 'Latest result' })
        const submit = async (name: string, circuit: object) => {
          const body = { circuits: [circuit], shots: 100, qpu_target: 'aurora', name }
          const made = await lab.service.call('POST', '/api/jobs', { token: lab.user.token, body })
          expect(made).toMatchObject({ status: 201 })
        }
        // By then the page has loaded what live changes need.
        await submit('before', { circuit: BELL })
        await panel.getByRole('link', { name: 'before' }).waitFor()
        await page.route(/\.js$/, (route) => route.abort())
        const circuit =
          'OPENQASM 3.0; include "stdgates.inc"; input float theta; qubit q; bit c; rx(theta) q; c = measure q;'
        await submit('swept', { circuit, parameter_values: [0, 1, 2, 3].map((value) => [value]) })
        await panel.getByText('Could not load the plot of the sweep.').waitFor()
        await page.unroute(/\.js$/)
        await panel.getByRole('button', { name: 'Try again' }).click()
        await panel.getByRole('img', { name: /points against theta/ }).waitFor()
        expect(await panel.getByText('Could not load').count()).toBe(0)
      },
    ))

  test('the numbers of superusers are those of the API and link to their lists', () =>
    visit('numbers', async (page) => {
      await signInAsSuperuser(page, lab.admin)
      const total = async (collection: string, filter = '') => {
        const path = `/api/collections/${collection}/records?perPage=1&filter=${encodeURIComponent(filter)}`
        const { body } = await lab.service.call('GET', path, { token: lab.admin.token })
        return Number(body['totalItems'])
      }
      const counter = (title: string) => page.locator('.counters').getByRole('link', { name: title })
      await counter(`${await total('users', 'unlimited = false')} Users`).waitFor()
      await counter(`${await total('qpus')} QPUs`).waitFor()
      await counter(`${await total('drivers', 'status = "online"')} Drivers online`).waitFor()
      await counter('0 Time requests').waitFor()
      const body = { seconds: 60, requested_reason: 'a long sweep' }
      await lab.service.call('POST', '/api/collections/qpu_time_requests/records', {
        token: lab.user.token,
        body,
      })
      await counter('1 Time requests').waitFor()
      await page.getByRole('heading', { name: 'Requests for QPU time' }).waitFor()
      await counter('QPUs').click()
      await page.getByRole('heading', { name: 'All QPUs' }).waitFor()
    }))
})
