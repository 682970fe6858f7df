import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { calibrationFindings, calibrationSteps } from '../../support/calibration/report.ts'
import type { Running } from '../../support/executable/background-process.ts'
import { TunerLab } from '../../support/executable/tuner-lab.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab, signIn, signInAsSuperuser } from '../lab.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('calibrations', () => {
  let browser: Browser
  let lab: Lab
  let tuner: TunerLab
  let qpu: { id: string; fingerprint: string; token: string }
  let running: Running

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    qpu = await lab.service.createQpu('calibrated')
    const script = join(lab.service.folder, 'calibration.json')
    const steps = calibrationSteps('ro_duration_optimization', 'q4')
    writeFileSync(script, JSON.stringify({ steps, findings: calibrationFindings({ dead: 'q4' }) }))
    tuner = await TunerLab.register(lab.service, qpu, [`script=${script}`])
    running = tuner.start()
  })
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]()
    await lab.close()
    await browser.close()
  })

  test('a superuser requests one, follows its plan, and reads its report', () =>
    withPage(browser, { name: 'calibrations-superuser', baseURL: lab.url }, async (page) => {
      await signInAsSuperuser(page, lab.admin)
      await page.goto('/calibrations')
      await page.getByText('No calibration has ended yet').waitFor()
      await page.getByRole('button', { name: 'New calibration' }).click()
      await page.getByRole('radio', { name: /^Partial/ }).check()
      await page.getByLabel('Qubits and edges').fill('q0, q1')
      await page.getByRole('button', { name: 'Request the calibration' }).click()
      await page.getByText('calibrated takes no jobs until it ends. No job waits.').waitFor()
      await page.getByRole('button', { name: 'Calibrate', exact: true }).click()

      await page.getByRole('heading', { name: /Partial calibration of calibrated/ }).waitFor()
      await page.getByText('Step 14 of 33').waitFor()
      await page.getByText('q4 qubit_01_spectroscopy failed.').waitFor()
      await page
        .getByRole('button', { name: /ro_duration_optimization, q0 done, q1 done, q2 running/ })
        .waitFor()
      await page.getByText(/≈ 2 h \d+ min left/).waitFor()

      tuner.open()
      await page.getByText('Partial failure').waitFor()
      await page.getByText('No line between 4.23 and 4.83 GHz.').first().waitFor()
      await page.getByRole('button', { name: /^ramsey_correction \d/ }).click()
      await page.getByRole('button', { name: 'done q2' }).click()
      await page.getByRole('img', { name: /ramsey_correction on q2: 81 points/ }).waitFor()
      await page.keyboard.press('ArrowLeft')
      await page.getByRole('img', { name: /ramsey_correction on q1/ }).waitFor()
      expect(new URL(page.url()).searchParams.get('target')).toBe('q1')
      await page.getByText('typed').waitFor()
      await page.getByText('▲ below').waitFor()
      await page.getByRole('img', { name: /Error per gate of 4 qubits/ }).waitFor()
      await page.getByRole('link', { name: 'clock_freqs.f01' }).click()
      await page.getByRole('heading', { name: 'History of a parameter' }).waitFor()
      await page.getByRole('cell', { name: 'too few values' }).waitFor()
    }))

  test('a superuser calibrates again what failed, chosen on the map, and gives the run up', () =>
    withPage(browser, { name: 'calibrations-again', baseURL: lab.url }, async (page) => {
      // The next run waits for its gate.
      rmSync(join(lab.service.folder, 'gate'), { force: true })
      await signInAsSuperuser(page, lab.admin)
      await page.goto('/calibrations')
      await page.getByRole('table', { name: 'Reports of calibrations' }).getByRole('link').first().click()
      await page.getByRole('link', { name: 'Calibrate again…' }).click()
      await page.getByText('One target chosen: q4.').waitFor()
      const qubit = (name: string) => page.getByRole('button', { name: new RegExp(`^${name}: `) })
      await qubit('q1').click()
      await qubit('q1').focus()
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      await page.locator('.coupler').first().click()
      await page.getByText('Four targets chosen: q4, q1, q2, q0_q1.').waitFor()
      await page.getByText('Choose in a list').click()
      await page.getByRole('checkbox', { name: 'q0_q1' }).uncheck()
      await page.getByText('Three targets chosen: q4, q1, q2.').waitFor()
      await page.getByRole('button', { name: 'Request the calibration' }).click()
      await page.getByRole('button', { name: 'Calibrate', exact: true }).click()

      await page.getByRole('heading', { name: 'Results so far' }).waitFor()
      await page.getByRole('heading', { name: 'Measured last' }).waitFor()
      await page.getByRole('img', { name: /^t1 on q1: \d+ points of population against/ }).waitFor()
      const results = page.locator('.results')
      await results.getByText('✕ qubit_01_spectroscopy failed').waitFor()
      await results.getByText('≈ t2_echo unresolved, old value kept').waitFor()
      const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
      expect((await tuner.request(id)).status).toBe('running')
      await page.getByRole('button', { name: 'Mark failed' }).click()
      await page.getByLabel('Reason').fill('the wrong chip')
      await page.getByRole('button', { name: 'Mark as failed' }).click()
      await page.getByRole('heading', { name: 'Why it failed' }).waitFor()
      await page.getByText('the wrong chip').waitFor()
      await page.getByRole('heading', { name: 'Results until then' }).waitFor()
      expect((await tuner.request(id)).status).toBe('failed')
    }))

  test('two reports are compared by significance; one without traces says so', () =>
    withPage(browser, { name: 'calibrations-compare', baseURL: lab.url }, async (page) => {
      const { routines, errors: _errors, ...found } = calibrationFindings({ day: 30, seed: 8 })
      const { id } = await lab.asAdmin('POST', '/api/collections/calibration_results/records', {
        ...{ ...found, qpu: qpu.id, mode: 'full', traces_stripped: true },
        ...{ started_at: '2026-11-01 10:00:00Z', finished_at: '2026-11-01 12:00:00Z' },
        routines: routines.map(({ fit: _fit, ...rest }) => rest),
      })
      await signIn(page, lab.user)
      await page.goto(`/calibrations/${id}?routine=ramsey_correction`)
      await page.getByText('Traces were removed after the time').waitFor()
      await page.getByText('The trace was removed; the numbers are kept.').waitFor()
      await page.getByRole('button', { name: 'Compare with' }).click()
      const choice = page.getByLabel('The other report')
      const other = await choice.locator('option', { hasText: 'partial failure' }).getAttribute('value')
      await choice.selectOption(other)
      const rows = page.getByRole('table', { name: 'Differences of the two reports' }).locator('tbody tr')
      await rows.first().waitFor()
      await page.getByText(/ of \d+ differ by 2 σ or more; noise alone moves about \d+\./).waitFor()
      const changed = await rows.count()
      expect(await rows.first().textContent()).toContain('clock_freqs.f01')
      await page.getByLabel('Show unchanged values too').check()
      await page.waitForFunction(
        (count) => document.querySelectorAll('dialog tbody tr').length > count,
        changed,
      )
      await page.getByRole('button', { name: 'Value', exact: true }).click()
      await rows.first().getByText(/^q0 /).waitFor()
    }))

  test('a printed report has every routine and the values of every target, and no controls', () =>
    withPage(browser, { name: 'calibrations-print', baseURL: lab.url }, async (page) => {
      await signIn(page, lab.user)
      await page.goto('/calibrations')
      const row = page.getByRole('row', { name: /Partial failure/ }).first()
      await row.getByRole('link', { name: 'calibrated' }).click()
      await page.locator('.heading').getByText('Partial failure').waitFor()
      const routines = await page.locator('.routines button').count()
      const panels = page.locator('.report-columns > .stack > .panel')
      const before = await panels.count()
      await page.evaluate(() => {
        window.print = () => {
          const of = (selector: string) => document.querySelectorAll(selector).length
          const shown = [of('.report-columns > .stack > .panel'), of('.fit-body svg, .fit-body canvas')]
          document.body.dataset['printed'] = JSON.stringify(shown)
        }
      })
      await page.getByRole('button', { name: 'Print' }).click()
      await page.waitForFunction(() => document.body.dataset['printed'] !== undefined)
      const [printed = 0, plots = 0] = JSON.parse(
        await page.evaluate(() => document.body.dataset['printed'] ?? ''),
      )
      expect(routines).toBeGreaterThan(2)
      expect([printed - before, plots > 1]).toEqual([routines - 1, true])
      expect(await panels.count()).toBe(before)
      await page.emulateMedia({ media: 'print' })
      expect(await page.getByRole('navigation').count()).toBe(0)
      expect(await page.getByRole('button').count()).toBe(0)
    }))

  test('a user reads reports and requests nothing', () =>
    withPage(
      browser,
      { name: 'calibrations-user', baseURL: lab.url, expected: [/status of 404/] },
      async (page) => {
        await signIn(page, lab.user)
        await page.goto('/calibrations')
        const row = page.getByRole('row', { name: /Partial failure/ })
        await row.getByRole('link', { name: 'calibrated' }).click()
        await page.locator('.heading').getByText('Partial failure').waitFor()
        expect(await page.getByRole('link', { name: 'Calibrate again' }).count()).toBe(0)
        await page.goto('/calibrations')
        expect(await page.getByRole('button', { name: 'New calibration' }).count()).toBe(0)
        await page.goto('/calibrations/000000000000000')
        await page.getByRole('heading', { name: 'There is no such calibration' }).waitFor()
      },
    ))
})
