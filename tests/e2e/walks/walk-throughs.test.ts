/**
 * The first tasks of a new user and of an operator on a fresh server with real drivers. Prints what each
 * takes, and fails when the clicks of one change: something that was at hand may be so no longer.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import type { SimulatedFridge } from '../../../src/devices/index.ts'
import { calibrationFindings, calibrationSteps } from '../../support/calibration/report.ts'
import { coldFridge } from '../../support/devices/cryostat.ts'
import { TunerLab } from '../../support/executable/tuner-lab.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { type Lab, openLab } from '../lab.ts'
import { operatorTasks } from './operator.ts'
import { userTasks } from './user.ts'
import { type Effort, table, Walk } from './walk.ts'

const chromium = findChromium()
/** While the database is replaced, requests are refused, and the stream of changes ends. */
const RESTORING = [/status of 503/, /^503 from /, /ERR_/]

describe.skipIf(!chromium)('walk-throughs', () => {
  let browser: Browser
  let lab: Lab
  let fridge: SimulatedFridge
  let tuner: ReturnType<TunerLab['start']>
  const started: Bun.Subprocess[] = []

  beforeAll(async () => {
    ;[browser, lab, fridge] = await Promise.all([openBrowser(chromium ?? ''), openLab(), coldFridge()])
    const script = join(lab.service.folder, 'calibration.json')
    writeFileSync(script, JSON.stringify({ steps: calibrationSteps(), findings: calibrationFindings() }))
    const registered = await TunerLab.register(lab.service, lab.qpu, [`script=${script}`])
    registered.open()
    tuner = registered.start()
    await lab.connect()
  })
  afterAll(async () => {
    for (const driver of started) driver.kill('SIGTERM')
    await Promise.all(started.map((driver) => driver.exited))
    await tuner[Symbol.asyncDispose]()
    await Promise.all([lab.close(), browser.close(), fridge[Symbol.asyncDispose]()])
  })

  /** Runs in a fresh browser profile and returns the number of clicks of each task. */
  const walk = async (who: string, session: object | undefined, run: (walk: Walk) => Promise<Effort[]>) => {
    const localStorage = session ? [{ name: 'svc.session', value: JSON.stringify(session) }] : []
    const options = {
      ...{ name: `walk-${who}`, baseURL: lab.url, expected: RESTORING },
      permissions: ['clipboard-read', 'clipboard-write'],
      storageState: { cookies: [], origins: [{ origin: lab.url, localStorage }] },
    }
    const efforts: Effort[] = []
    await withPage(browser, options, async (page) => {
      efforts.push(...(await run(new Walk(page))))
    })
    console.log(table(who, efforts))
    return efforts.map(({ clicks }) => clicks)
  }

  test('a new user runs a job, books a slot, requests time, learns why a job waits, exports results', async () => {
    const clicks = await walk('New user', undefined, (each) => userTasks(each, lab))
    expect(clicks).toEqual([4, 2, 3, 1, 3])
  })

  /** Approves what the user has requested. */
  test('an operator registers a driver, maintains a QPU, approves time, calibrates, restores a backup', async () => {
    const session = { token: lab.admin.token, record: { id: 'root', collectionName: '_superusers' } }
    const clicks = await walk('Operator', session, (each) => operatorTasks(each, { lab, fridge, started }))
    expect(clicks).toEqual([6, 3, 3, 5, 6])
  })
})
