import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROUTINES } from '../../../src/devices/tuning/routine-names.ts'
import { type Running, startSvc } from '../../support/executable/background-process.ts'
import { placeChipFiles } from '../../support/executable/chip-files.ts'
import { Service } from '../../support/executable/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

const EXAMPLES = join(import.meta.dir, '../../../examples')
/** One routine on one qubit, which fails on a dummy cluster within milliseconds. */
const ONE_QUBIT = 'target_qubits: [q0]\nmax_attempts: 1\n'
const INVALID_CONFIG = 'target_qubits: [q0]\nroutines: {t1: [}\n'

interface Report {
  status: string
  error: string
  notes: string[]
  device_file: object | null
  routines: { routine: string; target: string; error?: { code: string; message: string } }[]
}

let folder: TemporaryFolder
let service: Service
let tuner: Running
let tunerId = ''
const inFolder = (name: string) => join(folder.path, name)
const deviceFile = () => readFileSync(inFolder('scheduler.device.yml'), 'utf8')

beforeAll(async () => {
  folder = temporaryFolder()
  service = await Service.install(folder.path)
  await service.start()
  await placeChipFiles(folder.path, { config: INVALID_CONFIG })
  copyFileSync(join(EXAMPLES, 'scheduler.hardware.json'), inFolder('scheduler.hardware.json'))
  const qpu = await service.createQpu('kelvin')
  const made = await service.call<{ id: string; token: string }>('POST', '/api/op/drivers/create', {
    token: await service.admin(),
    body: { name: 'tuner', qpu: qpu.id, operation: 'calibrate' },
  })
  tunerId = made.body.id
  const options = [
    ...['is_dummy=true', `calibration_config=${inFolder('calibration.yml')}`],
    `scheduler_device_config=${inFolder('scheduler.device.yml')}`,
    `scheduler_hardware_config=${inFolder('scheduler.hardware.json')}`,
  ]
  const args = service.driverArgs('tuner', qpu.fingerprint, 'scheduler_a_tuner', options, 'calibrate')
  tuner = startSvc(args, { cwd: folder.path, env: { SVC_ACCESS_TOKEN: made.body.token } })
  await tuner.untilLogged('"message":"connected"')
})
beforeEach(() => placeChipFiles(folder.path, { config: ONE_QUBIT }))
afterAll(async () => {
  await tuner[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

/** Requests a full calibration and waits for its end; returns the status of the request and its report. */
async function calibrate(): Promise<{ request: string; report: Report }> {
  const token = await service.admin()
  const body = { driver_id: tunerId, mode: 'full' }
  const { id } = (await service.call<{ id: string }>('POST', '/api/op/calibrate/dispatch', { token, body }))
    .body
  const requests = `/api/collections/calibration_requests/records/${id}`
  const request = await until('the calibration to end', async () => {
    const found = (await service.call<{ status: string; result: string }>('GET', requests, { token })).body
    return ['done', 'failed'].includes(found.status) && found
  })
  const results = `/api/collections/calibration_results/records/${request.result}`
  const report = (await service.call<Report>('GET', results, { token })).body
  return { request: request.status, report }
}

const warningsOf = (message: string) => tuner.log.split(`"message":"${message}"`).length - 1

describe('a calibration that cannot succeed', () => {
  test('a calibration.yml that does not parse is a warning at the start, and fails the calibration with line and column', async () => {
    expect(tuner.log).toMatch(
      /"level":"warn".*calibration config is invalid: calibrations fail.*line 2, column/,
    )
    writeFileSync(inFolder('calibration.yml'), INVALID_CONFIG)
    const { request, report } = await calibrate()
    expect([request, report.status, report.routines]).toEqual(['done', 'failed', []])
    expect(report.error).toMatch(/^line 2, column \d+: /)
    // It is read at the start of each calibration, so that the next one works.
    writeFileSync(inFolder('calibration.yml'), ONE_QUBIT)
    expect((await calibrate()).report.routines.length).toBeGreaterThan(0)
  })

  test('on a dummy cluster, routines fail with a fit error and nothing is written', async () => {
    const before = deviceFile()
    const { request, report } = await calibrate()
    expect([request, report.status, report.device_file]).toEqual(['done', 'failed', null])
    expect(report.routines[0]).toMatchObject({
      ...{ routine: 'resonator_spectroscopy', target: 'q0', error: { code: 'no_data' } },
    })
    expect(report.error).toContain('q0 resonator_spectroscopy: no_data')
    expect(deviceFile()).toBe(before)
    const written = ['scheduler.device.yml.prev', 'scheduler.device.provenance.yml']
    expect(written.filter((name) => existsSync(inFolder(name)))).toEqual([])
  })

  test('coupler_anticrossing fails when no source can hold a parking current', async () => {
    const config = `target_qubits: [q0, q1]\nmax_attempts: 1\nroutines:\n  coupler_anticrossing: {timeout_s: 30}\n`
    const others = ROUTINES.filter(({ name }) => name !== 'coupler_anticrossing').map(
      ({ name }) => `  ${name}: {enabled: false}\n`,
    )
    writeFileSync(inFolder('calibration.yml'), config + others.join(''))
    const { report } = await calibrate()
    expect(report.error).toBe(
      'q0_q1 coupler_anticrossing: no_source q0_q1: no source can hold a parking current',
    )
    expect(report.status).toBe('failed')
  })

  test('a device file that does not parse never replaces the working one', async () => {
    writeFileSync(inFolder('scheduler.device.yml'), 'q0: {element_type: [}\n')
    const { report } = await calibrate()
    expect(report.routines[0]).toMatchObject({ routine: 'resonator_spectroscopy', target: 'q0' })
    expect(tuner.log).toMatch(/"a changed file is not used".*scheduler\.device\.yml.*"problems":\["line 1/)
    expect(deviceFile()).toBe('q0: {element_type: [}\n')
  })

  test('a new element needs a restart; the rest is used', async () => {
    const added = deviceFile().replace(
      'q4:\n',
      'q9:\n  element_type: {path: svc.elements.BasicTransmonElement, args: [q9]}\n\nq4:\n',
    )
    writeFileSync(inFolder('scheduler.device.yml'), added)
    writeFileSync(inFolder('calibration.yml'), 'target_qubits: [q0, q9]\nmax_attempts: 1\n')
    const { report } = await calibrate()
    expect(tuner.log).toContain('"message":"restart the driver to use new elements"')
    expect(tuner.log).toContain('"elements":["q9"]')
    expect(report.notes.join('\n')).toContain('target_qubits: the chip has no q9')
    expect(new Set(report.routines.map(({ target }) => target))).toEqual(new Set(['q0']))
  })

  test('a change of the hardware config is logged once, as needing a restart', async () => {
    const path = inFolder('scheduler.hardware.json')
    const message = 'hardware config changed; restart the driver to use it'
    await calibrate()
    expect(warningsOf(message)).toBe(0)
    writeFileSync(path, readFileSync(path, 'utf8').replace('"internal"', '"external"'))
    await calibrate()
    await calibrate()
    expect(warningsOf(message)).toBe(1)
  })
})
