import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { SimulatedFridge } from '../../src/devices/index.ts'
import { coldFridge } from '../support/devices/cryostat.ts'
import { until } from '../support/until.ts'
import { findChromium, openBrowser, withPage } from './browser.ts'
import { type Lab, openLab, signIn, signInAsSuperuser } from './lab.ts'
import { addReadings, CHANNELS, seedReadings } from './stage/readings.ts'

const chromium = findChromium()
const NAME = 'kelvin_cryostat'
/** A fridge that was cooled down within its readings. */
const COOLED = 'zenith_cryostat'
const COOLED_H = { readings: 60, warm: 4 }

describe.skipIf(!chromium)('monitoring', () => {
  let browser: Browser
  let lab: Lab
  let fridge: SimulatedFridge
  let driver: Bun.Subprocess

  beforeAll(async () => {
    ;[browser, lab, fridge] = await Promise.all([openBrowser(chromium ?? ''), openLab(), coldFridge()])
    const body = { name: NAME, qpu: 'kelvin', operation: 'monitor', device: 'cryostat_gen1' }
    const made = await lab.asAdmin('POST', '/api/op/drivers/create', body)
    const cooled = await lab.asAdmin('POST', '/api/op/drivers/create', { ...body, name: COOLED })
    await lab.service.stop()
    const monitor = { id: String(made['id']), name: NAME, qpu: lab.qpu.id }
    const database = join(lab.service.folder, 'svc_data/svc.db')
    seedReadings(database, monitor, 24)
    const other = { ...monitor, id: String(cooled['id']), name: COOLED }
    seedReadings(database, other, COOLED_H.readings, -COOLED_H.warm)
    addReadings(database, other, { 'mapper.bf.texchange': [2.5, 0.01] })
    await lab.service.start()
    driver = startMonitor(String(made['token']), String(made['ca_fingerprint']))
    await until('the readings of a day and new ones are added', async () => {
      const path = `/api/events/series?driver=${NAME}&points=2000`
      const { body } = await lab.service.call<{ series: { at: number[] }[] }>('GET', path, {
        token: lab.admin.token,
      })
      return (body.series[0]?.at.length ?? 0) > 1_300
    })
  })
  afterAll(async () => {
    driver.kill('SIGTERM')
    await driver.exited
    await Promise.all([lab.close(), browser.close(), fridge[Symbol.asyncDispose]()])
  })

  function startMonitor(token: string, fingerprint: string): Bun.Subprocess {
    const channels = Object.entries(CHANNELS).map((channel) => channel.join(':'))
    const options = [`channels=${channels.join(',')}`, `base_url=${fridge.url}`, 'poll_interval=0.5']
    const args = lab.service.driverArgs(NAME, fingerprint, 'cryostat_gen1', options, 'monitor')
    return Bun.spawn([lab.service.executable, ...args], {
      cwd: lab.service.folder,
      env: { PATH: process.env['PATH'] ?? '', HOME: lab.service.folder, SVC_ACCESS_TOKEN: token },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
  }

  const visit = (name: string, role: 'user' | 'admin', run: (page: Page) => Promise<void>) =>
    withPage(browser, { name, baseURL: lab.url }, async (page) => {
      await (role === 'admin' ? signInAsSuperuser(page, lab.admin) : signIn(page, lab.user))
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Monitoring' }).click()
      await page.getByRole('figure', { name: /^Temperatures/ }).waitFor()
      await run(page)
    })
  const parameter = (page: Page, name: string) => new URL(page.url()).searchParams.get(name)

  test('a superuser sets a limit and a note, and finds what exceeded it', () =>
    visit('monitoring-limits', 'admin', async (page) => {
      await page.getByText('live', { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Add a limit…' }).click()
      const limit = page.getByRole('dialog', { name: 'Add a limit' })
      await limit.getByLabel('Name').fill('Mixing chamber')
      await limit.getByLabel('Channel').selectOption({ label: 'tmixing' })
      await limit.getByRole('button', { name: 'Add the limit' }).click()
      await limit.getByText('Enter a number.').waitFor()
      await limit.getByLabel('Value, in K').fill('0.02')
      await limit.getByRole('button', { name: 'Add the limit' }).click()
      await page.getByRole('row', { name: /Mixing chamber.*Within/ }).waitFor()
      await page.getByRole('row', { name: /Over limit.*tmixing.*mK.*1 h/ }).waitFor()
      await page.getByRole('row', { name: /No data.*all channels/ }).waitFor()

      await page.getByRole('button', { name: 'Add a note…' }).click()
      await page.getByLabel('What was done').fill('Nitrogen trap exchanged')
      await page.getByRole('button', { name: 'Add the note' }).click()
      await page.getByText(/Note by .*: Nitrogen trap exchanged/).waitFor()
      const from = new Date(Date.now() - 3_600_000).toISOString()
      const path = `/api/schedule?from=${from}`
      const schedule = await lab.service.call<{ notes: object[] }>('GET', path, { token: lab.user.token })
      expect(schedule.body.notes).toMatchObject([{ text: 'Nitrogen trap exchanged', qpu: lab.qpu.id }])

      const zoom = page.getByRole('row', { name: /Over limit/ }).getByRole('button', { name: 'Zoom' })
      await zoom.click()
      await page.getByRole('button', { name: 'Reset zoom' }).waitFor()
      expect(parameter(page, 'from')).toMatch(/Z$/)
      await page.goBack()
      await page.getByText('live', { exact: true }).waitFor()
      expect(parameter(page, 'from')).toBeNull()
    }))

  test('a superuser names the stages, which everybody reads', async () => {
    await visit('monitoring-stages', 'admin', async (page) => {
      await page.getByRole('button', { name: 'Names…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Names of the channels' })
      await dialog.getByLabel('Name of mapper.bf.tmixing').fill('Mixing chamber')
      await dialog.getByLabel('Name of mapper.bf.p1').fill('Vacuum can')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Vacuum can' }).waitFor()
    })
    await visit('monitoring-named', 'user', async (page) => {
      await page.getByRole('button', { name: 'Mixing chamber' }).waitFor()
      expect(await page.getByRole('button', { name: 'Names…' }).count()).toBe(0)
      await page.goto('/')
      const panel = page.getByRole('region', { name: `${NAME}, last 24 h` })
      await panel.getByRole('listitem').first().waitFor()
      // In the order of the list: the fridge reports the vacuum can after the mixing chamber.
      const names = await panel.getByRole('listitem').allInnerTexts()
      expect(names.slice(0, 2).map((text) => text.split('\n')[0])).toEqual(['Mixing chamber', 'Vacuum can'])
    })
  })

  test('now is the last reading with its age, by the same name everywhere, and no mean of a bucket', async () => {
    const shown = /texchange\s+(▲\s+)?10\.00.mK\s+\d+ min ago/
    await visit('monitoring-now', 'user', async (page) => {
      await page.getByRole('combobox', { name: 'Monitor' }).selectOption(COOLED)
      await page.getByRole('row', { name: shown }).waitFor()
      for (const path of ['/', '/wall/kelvin']) {
        await page.goto(path)
        const panel = page.getByRole('region', { name: `${COOLED}, last 24 h` })
        const item = panel.getByRole('listitem').filter({ hasText: 'texchange' })
        await item.waitFor()
        expect((await item.innerText()).replaceAll('\n', ' ')).toMatch(shown)
        // Each name in one line: no word is broken.
        const lines = await panel.locator('li > strong').evaluateAll((names) =>
          names.map((name) => {
            const words = document.createRange()
            words.selectNodeContents(name)
            return new Set([...words.getClientRects()].map(({ top }) => Math.round(top))).size
          }),
        )
        expect(new Set(lines)).toEqual(new Set([1]))
      }
    })
  })

  test('a plot shows 10 to 12 mK, each channel alone, and the address keeps it', () =>
    visit('monitoring-axis', 'user', async (page) => {
      const axis = page.getByRole('button', { name: /^Value axis of Temperatures/ })
      expect(await axis.innerText()).toContain('Logarithmic')
      await axis.click()
      await page.getByRole('button', { name: 'One plot per channel' }).click()
      expect(parameter(page, 'axis')).toBe('K:each')
      await page.getByRole('figure', { name: 'Temperatures of Mixing chamber' }).waitFor()
      await axis.click()
      await page.getByRole('button', { name: 'From … to …' }).click()
      const dialog = page.getByRole('dialog', { name: 'Value axis of Temperatures' })
      await dialog.getByLabel('From').fill('0.013')
      await dialog.getByLabel('To').fill('0.009')
      await dialog.getByRole('button', { name: 'Show' }).click()
      await dialog.getByText('Enter a value above the first one.').waitFor()
      await dialog.getByLabel('From').fill('0.009')
      await dialog.getByLabel('To').fill('0.013')
      await dialog.getByRole('button', { name: 'Show' }).click()
      await page.reload()
      await page.getByRole('button', { name: /Value axis of Temperatures: 9.0.mK to 13.mK/ }).waitFor()
    }))

  test('the last cool-down is shown, and drawn over the visible time', () =>
    visit('monitoring-cool-down', 'user', async (page) => {
      await page.getByRole('combobox', { name: 'Monitor' }).selectOption(COOLED)
      const menu = page.getByRole('button', { name: 'Cool-downs' })
      await menu.click()
      await page.getByRole('button', { name: 'Show the last warm-up' }).click()
      await page.getByText('No warm-up ended within the last year.').waitFor()
      await menu.click()
      await page.getByRole('button', { name: 'Show the last cool-down' }).click()
      await page.getByRole('button', { name: 'Reset zoom' }).waitFor()
      const hours = (name: string) => (Date.now() - Date.parse(parameter(page, name) ?? '')) / 3_600_000
      expect(hours('from')).toBeWithin(COOLED_H.readings - COOLED_H.warm - 3, COOLED_H.readings)
      expect(hours('to')).toBeWithin(0, 25)
      await page.getByRole('button', { name: '24 h', exact: true }).click()
      await menu.click()
      await page.getByRole('button', { name: 'Compare with the cool-down before' }).click()
      await page.getByText(/Thin lines: the cool-down from .*, which lasted 1 d \d+ h/).waitFor()
      expect(parameter(page, 'over')).toBe('cool-down')
      await menu.click()
      await page.getByRole('button', { name: 'End the comparison' }).click()
      await page.getByText(/Thin lines/).waitFor({ state: 'detached' })
    }))

  test('the address names range, zoom and hidden channels; the cursor and the file show the values', () =>
    visit('monitoring-range', 'user', async (page) => {
      expect(await page.getByRole('button', { name: 'Add a note…' }).count()).toBe(0)
      await page.getByText('Note Nitrogen trap exchanged').waitFor()
      await page.getByRole('button', { name: '6 h', exact: true }).click()
      expect(parameter(page, 'range')).toBe('6h')
      await page.getByRole('button', { name: 'tstill' }).click()
      expect(parameter(page, 'hide')).toBe('mapper.bf.tstill:K')

      const plot = page.locator('.u-over').first()
      await plot.hover()
      await page
        .locator('.cursor-time')
        .getByText(/\d\d:\d\d/)
        .waitFor()
      const box = (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
      await page.mouse.move(box.x + box.width * 0.3, box.y + 40)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 })
      await page.mouse.up()
      await page.getByRole('button', { name: 'Reset zoom' }).waitFor()
      const hours =
        (Date.parse(parameter(page, 'to') ?? '') - Date.parse(parameter(page, 'from') ?? '')) / 3_600_000
      expect(hours).toBeGreaterThan(1.6)
      expect(hours).toBeLessThan(2)
      await page.reload()
      await page.getByRole('button', { name: 'Reset zoom' }).waitFor()
      expect(await page.getByRole('button', { name: 'tstill' }).getAttribute('aria-pressed')).toBe('false')
      await page.locator('.u-over').first().dblclick()
      await page.getByText('live', { exact: true }).waitFor()

      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).click(),
      ])
      expect(download.suggestedFilename()).toBe(`${NAME}.csv`)
      const text = await Bun.file(await download.path()).text()
      expect(text).toStartWith('time_utc,bucket_seconds,channel,unit,min,mean,max,readings\r\n')
      expect(text).toContain('mapper.bf.tmixing,K,')

      await page.getByRole('figure', { name: /^Temperatures/ }).focus()
      await page.keyboard.press('ArrowLeft')
      await page
        .locator('.cursor-time')
        .getByText(/\d\d:\d\d/)
        .waitFor()
    }))
})
