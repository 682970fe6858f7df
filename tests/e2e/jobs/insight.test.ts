import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { untilJob } from '../../support/executable/job-calls.ts'
import { until } from '../../support/until.ts'
import { findChromium, openBrowser, overflowOf, withPage } from '../browser.ts'
import { type Lab, openLab } from '../lab.ts'
import { sessionFor } from '../stage/visit.ts'

const chromium = findChromium()

describe.skipIf(!chromium)('from a result to what it was measured with', () => {
  let browser: Browser
  let lab: Lab
  let job: string
  /** The newest job that ran with the first report; the overview lists the newest ones only. */
  let newest: string
  /** The report in force when the job ran. */
  let report: string

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    await lab.connect()
    report = await calibrated(3_600_000, 0.98)
    job = await lab.submit()
    newest = job
    await until('the jobs to be completed', async () => {
      const { body } = await lab.service.call<unknown[]>('GET', '/api/jobs?status=pending,running', {
        token: lab.user.token,
      })
      return body.length === 0
    })
  })
  afterAll(async () => {
    await lab.close()
    await browser.close()
  })

  /** A report of so many ms ago, with this readout of q1. */
  async function calibrated(agoMs: number, fidelity: number): Promise<string> {
    const end = Date.now() - agoMs
    const { id } = await lab.asAdmin('POST', '/api/collections/calibration_results/records', {
      ...{ qpu: lab.qpu.id, mode: 'fidelity_check', status: 'success', backend: 'test' },
      started_at: new Date(end - 60_000).toISOString(),
      finished_at: new Date(end).toISOString(),
      routines: [],
      benchmarks: ['q0', 'q1'].map((target) => ({
        ...{ protocol: 'readout_fidelity', target, fidelity: target === 'q1' ? fidelity : 0.99 },
        fidelity_error: 0.001,
      })),
    })
    return String(id)
  }

  const visit = (name: string, who: 'user' | 'admin', run: (page: Page) => Promise<void>) => {
    const session = sessionFor(lab.url, { id: 'root', ...lab[who] }, who === 'user' ? 'users' : '_superusers')
    return withPage(browser, { name, baseURL: lab.url, ...session, expected: [/status of 400/] }, run)
  }
  /** Neither in light nor in dark, nor on a phone, is anything cut off. */
  async function look(page: Page, name: string) {
    for (const [view, colorScheme, width] of [
      ['light', 'light', 1_280],
      ['dark', 'dark', 1_280],
      ['390', 'light', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      expect([name, view, await overflowOf(page)]).toEqual([name, view, 0])
      const folder = process.env['SVC_PICTURES']
      if (folder) await page.screenshot({ path: `${folder}/${name}-${view}.png`, fullPage: true })
    }
    await page.setViewportSize({ width: 1_280, height: 900 })
  }

  test('form and job show what was expected, and a condition that the QPU does not know', () =>
    visit('estimate', 'user', async (page) => {
      await page.goto('/jobs/new')
      const panel = page.locator('dl.pairs')
      // Few jobs have run: no figure that nothing measured.
      await panel.getByText('no estimate yet: the QPU has run too few jobs').waitFor()
      await look(page, 'form-unmeasured')
      await page.goto(`/jobs/${job}`)
      await page.getByText('Charged', { exact: true }).waitFor()
      expect(await page.getByText('Estimated', { exact: true }).count()).toBe(0)
      for (let run = 0; run < 16; run += 1) {
        await untilJob(lab.service, lab.user.token, await lab.submit())
      }
      const estimated = await lab.submit()
      newest = estimated
      await page.goto('/jobs/new')
      await panel.getByText('Balance after').waitFor()
      await page.getByLabel('QPU', { exact: true }).selectOption(lab.qpu.id)
      await page.getByLabel('Required quality of the qubits').fill('readout_fidelity>0.97')
      await page.getByText('kelvin does not know conditions on quality').first().waitFor()
      await look(page, 'form')
      await page.goto(`/jobs/${estimated}`)
      await page.getByText('Estimated', { exact: true }).waitFor()
      await look(page, 'job')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download', exact: true }).click(),
      ])
      expect(await Bun.file(await file.path()).json()).toHaveProperty('signature')
    }))

  test('why does my result look wrong: the job names the qubit that drifted, and links its report', async () => {
    await calibrated(0, 0.9)
    await visit('drift', 'user', async (page) => {
      await page.goto(`/jobs/${job}`)
      await page.getByText(/q1: Readout fidelity 8 % worse since/).waitFor()
      await look(page, 'drift')
      await page.getByRole('link', { name: /before/ }).click()
      await page.getByText('readout_fidelity').first().waitFor()
      expect(new URL(page.url()).pathname).toBe(`/calibrations/${report}`)
    })
  })

  const declareRecall = () =>
    visit('recall', 'admin', async (page) => {
      await page.goto(`/calibrations/${report}`)
      await page.getByRole('button', { name: 'Recall results…' }).click()
      await page
        .getByRole('dialog')
        .getByText(/^So far \S+ results? of one user ran with it\. Each/)
        .waitFor()
      await page.getByRole('dialog').getByLabel('Reason').fill('a bad fit of q1')
      await page.getByRole('dialog').getByRole('button', { name: 'Recall', exact: true }).click()
      await page.locator('main').getByText('a bad fit of q1').first().waitFor()
      await look(page, 'report')
    })

  test('a recall is declared on the page of the report, and its jobs say so to their owner', async () => {
    await visit('recalled', 'user', async (page) => {
      const row = (id: string) => page.locator(`tr:has(a[href="/jobs/${id}"])`)
      await page.goto('/jobs')
      await row(job).getByText('Completed').waitFor()
      await declareRecall()
      // Without a reload.
      await row(job).getByText('Recalled').waitFor()
      await page.goto('/')
      await row(newest).getByText('Recalled').waitFor()
      await page.goto(`/jobs/${job}`)
      await page.getByText('Do not rely on this result: a bad fit of q1').waitFor()
      await page.getByRole('heading', { level: 1 }).locator('..').getByText('Recalled').waitFor()
      await look(page, 'recalled')
      await page.goto('/jobs?recalled=true')
      await page.locator(`tr:has(a[href="/jobs/${job}"])`).getByText('Recalled').waitFor()
      await page.goto(`/calibrations/${report}`)
      await page.locator('main').getByText('a bad fit of q1').first().waitFor()
      expect(await page.getByRole('button', { name: 'Withdraw the recall…' }).count()).toBe(0)
    })
  })
})
