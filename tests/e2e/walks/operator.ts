import { dirname } from 'node:path'
import type { SimulatedFridge } from '../../../src/devices/index.ts'
import { SVC } from '../../support/executable/service.ts'
import { until } from '../../support/until.ts'
import type { Lab } from '../lab.ts'
import type { Effort, Walk } from './walk.ts'

/** The first five tasks of an operator, each from the overview. Adds the drivers it starts to `started`. */
export async function operatorTasks(
  walk: Walk,
  { lab, fridge, started }: { lab: Lab; fridge: SimulatedFridge; started: Bun.Subprocess[] },
): Promise<Effort[]> {
  const { page } = walk
  const home = () => page.goto('/')
  await home()
  const driver = await registerDriver(walk, lab, { fridge, started })
  await home()
  const maintenance = await walk.measure('Put a QPU into maintenance', async () => {
    await walk.follow('QPUs')
    await walk.press('Actions for kelvin')
    await walk.press('Start maintenance…')
    await walk.type('Reason', 'warm-up')
    await walk.enter()
    await page
      .getByRole('row', { name: /^kelvin/ })
      .getByText('Maintenance', { exact: true })
      .waitFor()
  })
  await lab.asAdmin('POST', '/api/op/qpu/maintenance', { id: lab.qpu.id, maintenance: false })
  await home()
  const approval = await walk.measure('Approve a request for QPU time', async () => {
    await walk.follow(/^Time requests/)
    await walk.press(/^Approve… the request/)
    await walk.click(page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }))
    await walk.sees('There is no open request.')
  })
  await home()
  const calibration = await walk.measure('Dispatch a fidelity check', async () => {
    await walk.follow('Calibrations')
    await walk.press('New calibration')
    await walk.click(page.getByText('Fidelity check'))
    await walk.press('Request the calibration…')
    await walk.click(page.getByRole('dialog').getByRole('button', { name: 'Calibrate', exact: true }))
    await page.getByRole('heading', { name: /^Fidelity check/ }).waitFor()
    await page
      .locator('h1')
      .filter({ hasNotText: /Waiting|Pending|Running/ })
      .waitFor()
  })
  await home()
  const backup = await restoreBackup(walk)
  return [driver, maintenance, approval, calibration, backup]
}

/** Registers a monitor of a cryostat, and starts it with the copied commands. */
function registerDriver(
  walk: Walk,
  lab: Lab,
  { fridge, started }: { fridge: SimulatedFridge; started: Bun.Subprocess[] },
): Promise<Effort> {
  const { page } = walk
  const copy = async () => {
    await page.evaluate(() => navigator.clipboard.writeText(''))
    await walk.press(/^Copy store the token and start/)
    return until('the text to be copied', () => page.evaluate(() => navigator.clipboard.readText()))
  }
  const run = (commands: string) => {
    const env = { PATH: `${dirname(SVC)}:${process.env['PATH']}`, HOME: lab.service.folder }
    return Bun.spawn(['sh', '-c', commands], {
      ...{ cwd: lab.service.folder, env },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
  }
  return walk.measure('Register and start a driver of a cryostat', async () => {
    await walk.follow('Drivers')
    await walk.follow('Register a monitor')
    await walk.type('Channels', 'mapper.bf.tmixing:K')
    await walk.type('Address', fridge.url)
    await walk.press('Register')
    await page.getByRole('heading', { name: 'kelvin_monitor is registered' }).waitFor()
    // The shell becomes the driver, so that its end ends the driver.
    started.push(run((await copy()).replace(/^svc /m, 'exec svc ')))
    await walk.sees('Sends events')
  })
}

/** Makes a backup and restores it. */
function restoreBackup(walk: Walk): Promise<Effort> {
  const { page } = walk
  return walk.measure('Make a backup and restore it', async () => {
    await walk.follow('Database and settings')
    await walk.follow('Backups')
    await walk.press('Make a backup')
    await page.getByRole('heading', { name: /^Made svc-/ }).waitFor()
    const name = (await page.locator('tbody th code').first().innerText()).trim()
    await walk.press(`Actions on ${name}`)
    await walk.press('Restore…')
    await walk.type(/to confirm/, name)
    await walk.click(page.getByRole('dialog').getByRole('button', { name: 'Restore', exact: true }))
    await page.getByRole('heading', { name: `Restored ${name}` }).waitFor({ timeout: 30_000 })
  })
}
