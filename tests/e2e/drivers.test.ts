import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { dirname } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { SimulatedFridge } from '../../src/devices/index.ts'
import { coldFridge } from '../support/devices/cryostat.ts'
import { startSvc } from '../support/executable/background-process.ts'
import { SVC } from '../support/executable/service.ts'
import { skips } from '../support/faults/prerequisites.ts'
import { openWallClock, whyNoWallClock } from '../support/faults/wall-clock.ts'
import { until } from '../support/until.ts'
import { findChromium, openBrowser, withPage } from './browser.ts'
import { type Lab, openLab, signInAsSuperuser } from './lab.ts'

const chromium = findChromium()
const CLIPBOARD = ['clipboard-read', 'clipboard-write']

describe.skipIf(!chromium)('drivers', () => {
  let browser: Browser
  let lab: Lab
  let fridge: SimulatedFridge
  const drivers: Bun.Subprocess[] = []

  beforeAll(async () => {
    ;[browser, lab, fridge] = await Promise.all([openBrowser(chromium ?? ''), openLab(), coldFridge()])
  })
  afterAll(async () => {
    for (const driver of drivers) driver.kill('SIGTERM')
    await Promise.all(drivers.map((driver) => driver.exited))
    await Promise.all([lab.close(), browser.close(), fridge[Symbol.asyncDispose]()])
  })

  const visit = (name: string, run: (page: Page) => Promise<void>) =>
    withPage(browser, { name, baseURL: lab.url, permissions: CLIPBOARD }, async (page) => {
      await signInAsSuperuser(page, lab.admin)
      await run(page)
    })

  /** Presses a copy button and returns what it copied. */
  async function copy(page: Page, what: RegExp): Promise<string> {
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await page.getByRole('button', { name: what }).click()
    return until('the text to be copied', () => page.evaluate(() => navigator.clipboard.readText()))
  }

  /** Runs commands in a shell of the machine at the equipment. */
  function run(commands: string): Bun.Subprocess {
    const path = `${dirname(SVC)}:${process.env['PATH']}`
    return Bun.spawn(['sh', '-c', commands], {
      cwd: lab.service.folder,
      env: { PATH: path, HOME: lab.service.folder },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  }

  test('a driver is registered, started with the copied commands, and watched', () =>
    visit('drivers-register', async (page) => {
      await page.getByRole('link', { name: 'Drivers', exact: true }).click()
      await page.getByRole('row', { name: /kelvin.*Never connected/ }).waitFor()
      await page.getByRole('link', { name: 'Register a driver' }).click()
      await page.getByLabel('Operation').selectOption('monitor')
      await page.getByLabel('Name').fill('boreas-cryo')
      await page.getByText('becomes boreas_cryo').waitFor()
      await page.getByRole('button', { name: 'Register' }).click()
      await page.getByText('This option is required.').waitFor()
      await page.getByLabel('Channels').fill('mapper.bf.tmixing:K,mapper.bf.p1:mbar')
      await page.getByLabel('Address').fill(fridge.url)
      await page.getByLabel('Interval of polls').fill('0.5')
      await page.getByRole('button', { name: 'Register' }).click()

      await page.getByRole('heading', { name: 'boreas_cryo is registered' }).waitFor()
      const token = await page.locator('.token code').innerText()
      expect(token).toStartWith('svc_dt_')
      await page.getByText('Waiting for the first connection').waitFor()

      await page.getByRole('link', { name: 'Done' }).click()
      const question = page.getByRole('dialog', { name: 'Have you saved the token?' })
      await question.getByRole('button', { name: 'Cancel' }).click()
      const commands = await copy(page, /^Copy store the token and start/)
      expect(commands.slice(commands.indexOf('\nsvc '))).not.toContain(token)
      drivers.push(run(commands.replace(/^svc /m, 'exec svc ')))

      await page.getByText('Connected', { exact: true }).first().waitFor()
      await page.getByText('Sends events').waitFor()
      // Without a choice, the log shows all events but readings.
      await page.getByRole('combobox', { name: 'Type' }).selectOption('CryostatReading')
      await page.getByRole('cell', { name: 'CryostatReading' }).first().waitFor()
      await page.getByRole('button', { name: 'JSON' }).first().click()
      await page.getByRole('dialog').getByText('"mapper.bf.tmixing"').waitFor()
      await page.getByRole('button', { name: 'Close' }).click()

      await page.reload()
      await page.getByRole('heading', { name: 'boreas_cryo', exact: true }).waitFor()
      await page.getByText('Commands and files').click()
      const unit = await copy(page, /boreas_cryo\.service/)
      expect(unit).toContain('-o "channels=mapper.bf.tmixing:K,mapper.bf.p1:mbar"')
      expect(await page.content()).not.toContain(token)
    }))

  test('a driver that stands by names the holder, which can be disabled', () =>
    visit('drivers-standby', async (page) => {
      const made = await lab.asAdmin('POST', '/api/op/drivers/create', {
        ...{ name: 'spare_cryo', qpu: 'kelvin', operation: 'monitor', device: 'cryostat_gen1' },
      })
      const asked = await lab.service.call('POST', '/api/op/drivers/connect', {
        body: { token: made['token'] },
      })
      expect(asked.status).toBe(409)
      await page.goto('/drivers')
      const spare = page.getByRole('row', { name: /spare_cryo/ })
      await spare.getByText('Standby').waitFor()
      await spare.getByRole('button', { name: 'Disable boreas_cryo…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
      await page.getByRole('row', { name: /boreas_cryo.*Disabled/ }).waitFor()
      await page.getByRole('button', { name: 'Actions for spare_cryo' }).click()
      await page.getByRole('button', { name: 'New token…' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Create a new token' }).click()
      await page.getByRole('heading', { name: 'spare_cryo is registered' }).waitFor()
      expect(await page.locator('.token code').innerText()).not.toBe(String(made['token']))
    }))

  test.skipIf(skips('a driver with another clock', whyNoWallClock()))(
    'a driver whose clock is wrong says on the page of its QPU what failed, and by how much the clock differs',
    () =>
      visit('drivers-clock', async (page) => {
        const qpu = await lab.service.createQpu('celsius')
        const clock = openWallClock(lab.service.folder)
        clock.set('-30d')
        const args = lab.service.driverArgs('celsius', qpu.fingerprint, 'mock')
        await page.goto('/qpus/celsius')
        await page.getByRole('heading', { name: 'celsius' }).waitFor()
        await using driver = startSvc(args, {
          cwd: lab.service.folder,
          env: { ...clock.env, SVC_ACCESS_TOKEN: qpu.token },
        })
        await driver.untilLogged('30 days behind')
        const failure =
          /Driver celsius: .*result port \d+ .*not yet valid.*the clock of this machine is 30 days behind/
        await page.getByText(failure).waitFor()
        await page.getByText(failure).getByRole('link', { name: 'celsius' }).click()
        await page.getByText('Cannot attach').first().waitFor()
        await page.getByText('30 days behind').first().waitFor()
      }),
  )
})
