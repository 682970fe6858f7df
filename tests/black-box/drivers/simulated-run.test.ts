import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROUTINES } from '../../../src/devices/tuning/routine-names.ts'
import type { CalibrationReport } from '../../../ui/api/model/calibrations.ts'
import { type LineFit, readFit } from '../../../ui/pages/calibrations/reading/read-fit.ts'
import { readReport } from '../../../ui/pages/calibrations/reading/read-report.ts'
import { cellState, readProgress } from '../../../ui/pages/calibrations/run/read-progress.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import { drawSimulatedChip, placeChipFiles } from '../../support/executable/chip-files.ts'
import { readJob, submit, untilJob } from '../../support/executable/job-calls.ts'
import { Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

const HOLD = join(import.meta.dir, '../../support/devices/hold.ts')
/** The plan on two qubits, in its order; then come two routines of the site, of which one holds the run. */
const ENABLED = ['resonator_spectroscopy', 'qubit_01_spectroscopy', 'rabi_oscillations', 't1', 'all_xy']
const CONFIG = `target_qubits: [q0, q1]
routines:
  ${HOLD}#hold: {}
  ${HOLD}#release: {}
${ROUTINES.filter(({ name }) => !ENABLED.includes(name))
  .map(({ name }) => `  ${name}: {enabled: false}\n`)
  .join('')}`

/** What the page of a report gets. */
interface Stored extends CalibrationReport {
  traces_stripped: boolean
  updated: string
  routines: Record<string, unknown>[]
  benchmarks: Record<string, unknown>[]
}

/** A server with the QPU `kelvin`, a user, and a tuner on a simulated chip, all by the executable. */
async function open() {
  const folder = temporaryFolder()
  const service = await Service.install(folder.path)
  await service.start()
  const qpu = await service.createQpu('kelvin')
  const user = await service.createUser(100)
  await placeChipFiles(folder.path, { config: CONFIG })
  const device = join(folder.path, 'scheduler.device.yml')
  await drawSimulatedChip(join(folder.path, 'drivers/tuner/data'), readFileSync(device, 'utf8'), 1)
  const admin = await service.admin()
  const made = await service.call<{ id: string; token: string }>('POST', '/api/op/drivers/create', {
    token: admin,
    body: { name: 'tuner', qpu: qpu.id, operation: 'calibrate' },
  })
  const options = [
    ...['is_simulated=true', `scheduler_device_config=${device}`],
    `calibration_config=${join(folder.path, 'calibration.yml')}`,
  ]
  const args = service.driverArgs('tuner', qpu.fingerprint, 'scheduler_a_tuner', options, 'calibrate')
  const at = (path: string) => ({ cwd: folder.path, env: { SVC_ACCESS_TOKEN: path } })
  return {
    service,
    user,
    device,
    driver: startSvc(service.driverArgs('kelvin', qpu.fingerprint, 'mock'), at(qpu.token)),
    tuner: startSvc(args, at(made.body.token)),
    openGate: () => writeFileSync(join(folder.path, 'gate'), ''),
    async calibrate() {
      const body = { driver_id: made.body.id, mode: 'full' }
      return (
        await service.call<{ id: string }>('POST', '/api/op/calibrate/dispatch', { token: admin, body })
      ).body.id
    },
    async record<T>(collection: string, id: string) {
      const path = `/api/collections/${collection}/records/${id}`
      return (await service.call<T>('GET', path, { token: user.token })).body
    },
    async [Symbol.asyncDispose]() {
      await service.stop('SIGKILL')
      folder[Symbol.dispose]()
    },
  }
}

test('a chip is calibrated while jobs wait: its plan, progress and report are what the pages read, and numbers outlive traces', async () => {
  await using lab = await open()
  const { service, user } = lab
  await using _driver = lab.driver
  await using tuner = lab.tuner
  await tuner.untilLogged('"message":"connected"')
  await service.untilOnline('kelvin')
  const before = readFileSync(lab.device, 'utf8')
  const request = await lab.calibrate()
  const seen = () =>
    lab.record<{ status: string; progress: unknown; result: string }>('calibration_requests', request)

  const held = await until('the run to be held', async () => {
    const progress = readProgress((await seen()).progress)
    return progress.routine === 'hold' && progress
  })
  expect(held.plan.filter(({ targets }) => targets.length > 0).map(({ routine }) => routine)).toEqual([
    ...ENABLED,
    'hold',
    'release',
  ])
  const states = held.plan.map((_, row) => cellState(held, row, 'q0'))
  expect(states).toEqual([...ENABLED.map(() => 'done' as const), 'running', 'planned'])
  expect(held.plan.map((_, row) => cellState(held, row, 'q1')).slice(0, ENABLED.length)).toEqual(
    ENABLED.map(() => 'done'),
  )
  expect([held.step, held.total, held.ok]).toEqual([6, 7, 2 * ENABLED.length])
  const drawn = readFit(held.trace) as LineFit
  expect([drawn.x.values.length > 20, drawn.y.values.length]).toEqual([true, drawn.x.values.length])

  const job = await submit(service, user.token)
  const waiting = await until(
    'the job to wait',
    async () => (await readJob(service, user.token, job)).waiting,
  )
  expect(waiting.code).toBe('calibrating')

  lab.openGate()
  const { result } = await until('the calibration to end', async () => {
    const record = await seen()
    return record.status === 'done' && record
  })
  expect((await untilJob(service, user.token, job)).status).toBe('completed')

  const report = await lab.record<Stored>('calibration_results', result)
  expect([report.backend, report.traces_stripped]).toEqual(['scheduler_a_tuner+simulated', false])
  const page = readReport(report)
  const done = page.results.filter(({ outcome }) => outcome === 'done')
  expect(done.map(({ routine, target }) => `${routine} ${target}`)).toEqual(
    expect.arrayContaining(ENABLED.flatMap((routine) => [`${routine} q0`, `${routine} q1`])),
  )
  const shown = done.filter(({ fit, quality }) => readFit(fit, quality) !== undefined)
  expect(new Set(shown.map(({ routine }) => routine))).toEqual(new Set(ENABLED))
  expect(page.benchmarks.map(({ protocol }) => protocol)).toContain('all_xy')
  expect(page.notes).toEqual(expect.arrayContaining(['q0 hold: held', 'q1 release: released']))
  expect(page.changed).toBeGreaterThan(4)
  expect(readFileSync(lab.device, 'utf8')).not.toBe(before)

  await service.stop()
  await service.start({}, ['--calibration-fit-retention', '1s', '--events-prune-interval', '200ms'])
  const stripped = await until('the traces to be removed', async () => {
    const record = await lab.record<Stored>('calibration_results', result)
    return record.traces_stripped && record
  })
  const without = (entries: Record<string, unknown>[], key: string) =>
    entries.map(({ [key]: _removed, ...rest }) => rest)
  expect(stripped.routines).toEqual(without(report.routines, 'fit'))
  expect(stripped.benchmarks).toEqual(without(report.benchmarks, 'raw_data'))
  const { routines: _, benchmarks: __, traces_stripped: ___, updated: ____, ...rest } = stripped
  expect(report).toMatchObject(rest)
})
