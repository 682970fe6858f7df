import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import type { Running } from '../../support/executable/background-process.ts'
import { TunerLab } from '../../support/executable/tuner-lab.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab, signIn } from '../lab.ts'

const chromium = findChromium()
const REASON = 'the magnet was off'

describe.skipIf(!chromium)('a recalled calibration', () => {
  let browser: Browser
  let lab: Lab
  let tuner: TunerLab
  let running: Running

  beforeAll(async () => {
    ;[browser, lab] = await Promise.all([openBrowser(chromium ?? ''), openLab()])
    await lab.connect()
    tuner = await TunerLab.register(lab.service, lab.qpu)
    running = tuner.start()
    tuner.open()
  })
  afterAll(async () => {
    await running?.[Symbol.asyncDispose]()
    await lab.close()
    await browser.close()
  })

  const calibrate = async () => (await tuner.until(await tuner.dispatch(), 'done')).result

  test('is seen on open pages before a run, until it is withdrawn or a newer one is in force', () =>
    withPage(browser, { name: 'recalled-calibration', baseURL: lab.url }, async (page) => {
      const report = await calibrate()
      await signIn(page, lab.user)
      const open = async (path: string): Promise<Page> => {
        const tab = await page.context().newPage()
        await tab.goto(path)
        return tab
      }
      const [chip, wall, list] = await Promise.all(
        ['/qpus/kelvin', '/wall/kelvin', '/calibrations'].map(open),
      )
      if (!chip || !wall || !list) throw new Error('unreachable')
      const outcomes = list.getByRole('table', { name: 'Reports of calibrations' }).locator('tbody tr')
      const notices = [chip, wall].map((tab) => tab.getByText('Calibration recalled.').locator('..'))
      const untilSeen = (state: 'visible' | 'detached') =>
        Promise.all(notices.map((notice) => notice.waitFor({ state })))
      await Promise.all([outcomes.first().waitFor(), chip.getByRole('heading', { name: 'kelvin' }).waitFor()])
      expect(await outcomes.getByText('Recalled').count()).toBe(0)

      const recall = () => lab.asAdmin('POST', '/api/op/recalls', { report, reason: REASON })
      const { id } = await recall()
      await untilSeen('visible')
      for (const notice of notices) {
        expect(await notice.textContent()).toContain(`in force is not to be relied on: ${REASON} (`)
        expect(await notice.getByRole('link', { name: 'calibration' }).getAttribute('href')).toBe(
          `/calibrations/${report}`,
        )
      }
      await outcomes.getByText('Recalled').waitFor()
      const editor = await open('/jobs/new')
      await editor
        .getByText(`The calibration in force of kelvin (report ${report}) is recalled: ${REASON}.`)
        .waitFor()

      await lab.asAdmin('POST', `/api/op/recalls/${id}/undo`, { reason: 'it was on' })
      await untilSeen('detached')
      await outcomes.getByText('Recalled').waitFor({ state: 'detached' })

      await recall()
      await untilSeen('visible')
      await calibrate()
      await untilSeen('detached')
      await outcomes.nth(1).getByText('Recalled').waitFor()
      expect(await outcomes.first().getByText('Recalled').count()).toBe(0)
    }))
})
