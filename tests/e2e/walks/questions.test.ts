/**
 * Questions of an operator in a laboratory that has worked for some days. Prints what each answer takes, and
 * fails when the clicks of one change: something that was at hand may be so no longer.
 */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { until } from '../../support/until.ts'
import { findChromium, openBrowser, withPage } from '../browser.ts'
import { openStage, type Stage } from '../stage/stage.ts'
import { sessionOf, settle } from '../stage/visit.ts'
import { type Effort, table, Walk } from './walk.ts'

const chromium = findChromium()
const DAY_MS = 86_400_000
/** With the cool-down, which takes two days. */
const HISTORY_HOURS = 60

describe.skipIf(!chromium)('questions of an operator', () => {
  let browser: Browser
  let stage: Stage

  beforeAll(async () => {
    ;[browser, stage] = await Promise.all([
      openBrowser(chromium ?? ''),
      openStage({ historyHours: HISTORY_HOURS, cooledHours: 0 }),
    ])
  }, 180_000)
  afterAll(async () => {
    await Promise.all([stage?.close(), browser?.close()])
  })

  /** Walks from the overview of the superuser, or of the user. */
  const ask = async (
    task: string,
    run: (walk: Walk) => Promise<void>,
    role: 'superuser' | 'user' = 'superuser',
  ) => {
    const options = { name: task, baseURL: stage.url, ...sessionOf(stage, role) }
    const efforts: Effort[] = []
    await withPage(browser, options, async (page) => {
      const walk = new Walk(page)
      await page.goto('/')
      await settle(page)
      efforts.push(await walk.measure(task, run))
    })
    console.log(table('Operator', efforts))
    return efforts[0]?.clicks
  }

  test('which jobs of a user failed yesterday', async () => {
    const noon = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS / 2)
    using file = new Database(join(stage.service.folder, 'svc_data/svc.db'))
    file.run('UPDATE quantum_jobs SET created = ? WHERE id = ?', [
      noon.toISOString().replace('T', ' '),
      stage.jobs.failed,
    ])
    const clicks = await ask('Find the failed jobs of a user of yesterday', async (walk) => {
      await walk.follow('Jobs')
      await walk.choose('Status', 'failed')
      await walk.choose('Period', 'yesterday')
      await walk.type('Find an owner', stage.user.email)
      await walk.page.getByRole('heading', { level: 1 }).getByText('Jobs').waitFor()
      await until('the list to have one job', async () => {
        const rows = walk.page.getByRole('table', { name: 'Jobs' }).locator('tbody tr[data-id]')
        return (
          (await rows.count()) === 1 && (await rows.first().getAttribute('data-id')) === stage.jobs.failed
        )
      })
    })
    expect(clicks).toBe(6)
  })

  test('what fills the disk', async () => {
    const clicks = await ask('Find out what fills the disk', async (walk) => {
      await walk.follow('Database and settings')
      const figure = (name: string) => walk.page.getByRole('row', { name: new RegExp(`^${name} .*B`) })
      for (const name of ['Free disk space', 'Database', 'Jobs in the database', 'Write-ahead log'])
        await figure(name).waitFor()
    })
    expect(clicks).toBe(1)
  })

  test('which driver was lost last night, and what the log says', async () => {
    const qpu = await stage.service.createQpu('lost_2')
    const driver = stage.service.startDriver('lost_2', qpu)
    await stage.service.untilOnline('lost_2')
    driver.kill('SIGKILL')
    await driver.exited
    await until('the driver to be lost', async () => {
      const { body } = await stage.service.call<{ status: string }>('GET', '/api/qpus/lost_2')
      return body.status === 'offline'
    })
    const clicks = await ask('Find the driver that was lost, and why', async (walk) => {
      await walk.follow('Database and settings')
      const lost = walk.page.getByRole('list', { name: 'Lost drivers' }).getByRole('listitem')
      await lost.filter({ hasText: /lost_2.* is not connected since/ }).waitFor()
      await walk.click(lost.filter({ hasText: 'lost_2' }).getByRole('link', { name: 'what the log says' }))
      await walk.page.getByRole('row').filter({ hasText: 'lost_2' }).first().waitFor()
    })
    expect(clicks).toBe(2)
  })

  test('a QPU is put into maintenance from the keyboard', async () => {
    const clicks = await ask('Put a QPU into maintenance from the keyboard', async (walk) => {
      await walk.key('Control+k')
      await walk.type('Page, QPU, job or action', 'maintenance kel')
      await walk.page.locator('#palette-0', { hasText: 'Start maintenance kelvin_25' }).waitFor()
      await walk.enter()
      await walk.type('Reason', 'new amplifier')
      await walk.enter()
      await walk.sees('kelvin_25 is in maintenance')
    })
    expect(clicks).toBe(0)
    await stage.service.call('POST', '/api/op/qpu/maintenance', {
      ...{ token: stage.superuser.token, body: { id: stage.qpus.kelvin, maintenance: false } },
    })
  })

  test('a colleague sees the cool-down at the address of the operator', async () => {
    let address = ''
    const clicks = await ask('Show the last cool-down to a colleague', async (walk) => {
      await walk.follow('Monitoring')
      await walk.press('Cool-downs')
      await walk.press('Show the last cool-down')
      await walk.page.waitForURL(/[?&]from=/)
      address = walk.page.url().slice(stage.url.length)
    })
    expect(clicks).toBe(3)
    const colleague = await ask(
      'Open the address',
      async (walk) => {
        await walk.page.goto(address)
        await settle(walk.page)
        await walk.sees('Chosen time')
        await walk.page.locator('.uplot, canvas').first().waitFor()
        expect(walk.page.url()).toContain(address)
      },
      'user',
    )
    expect(colleague).toBe(0)
  })
})
