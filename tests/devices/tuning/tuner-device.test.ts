import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '../../../src/base/index.ts'
import { openSimulatedChip } from '../../../src/devices/bench/simulated/open-simulated-chip.ts'
import type { DeviceContext } from '../../../src/devices/define-device.ts'
import { CalibrationError } from '../../../src/devices/errors.ts'
import { createRng } from '../../../src/devices/index.ts'
import { provideSdk } from '../../../src/devices/provide-sdk.ts'
import { openPythonRoutines } from '../../../src/devices/tuning/python-routines/open-routines.ts'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { createTuner } from '../../../src/devices/tuning/tuner-device.ts'
import { TUNER_OPTIONS, type TunerOptions } from '../../../src/devices/tuning/tuner-options.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** A chip whose pi pulse lies just beyond the first sweep of its amplitude. */
const SEED = 7
const DEVICE_FILE = `q0:
  element_type: {path: svc.CalibratedTransmon, args: [q0], kwargs: {}}
  rxy: {amp180: 0.5, duration: 56.0e-9}
  measure: {pulse_amp: 0.1, pulse_duration: 3.0e-6, integration_time: 2.5e-6}
  clock_freqs: {f01: 4.5e+9, readout: 6.5e+9}
`

function contextIn(folder: string, given: Partial<TunerOptions>): DeviceContext<TunerOptions> {
  const defaults = Object.fromEntries(Object.entries(TUNER_OPTIONS).map(([key, spec]) => [key, spec.default]))
  const options = {
    ...defaults,
    scheduler_device_config: join(folder, 'scheduler.device.yml'),
    calibration_config: join(folder, 'calibration.yml'),
    ...given,
  } as TunerOptions
  return {
    ...{ name: 'tuner', device: 'scheduler_a_tuner', options, raw: {}, environment: {}, dataDir: folder },
    ...{ log: silentLog, clock: new FakeClock(), signal: new AbortController().signal },
    random: (seed = 1) => createRng(seed),
  }
}

function setUp(folder: string, given: Partial<TunerOptions>, config = 'version: 1\n', log = silentLog) {
  writeFileSync(join(folder, 'scheduler.device.yml'), DEVICE_FILE)
  writeFileSync(join(folder, 'calibration.yml'), config)
  const openSimulated: typeof openSimulatedChip = (chip) => openSimulatedChip({ ...chip, seed: SEED })
  const dependencies = { routines: BUILT_IN_ROUTINES, openSimulated, provideSdk, openPythonRoutines }
  return createTuner({ ...contextIn(folder, given), log }, dependencies)
}

/** The routines of the second transition are not all there yet, nor are values that they need. */
const ENABLED = `version: 1
routines:
  resonator_spectroscopy_2: {enabled: false}
  three_state_discrimination: {enabled: false}
`

const request = { runId: 'run000000000001', id: null, mode: 'full' as const, targetQubits: [] }
const io = { signal: new AbortController().signal, progress: () => undefined }

describe('createTuner()', () => {
  test('reports a fit error for a dummy instrument, and writes nothing', async () => {
    using folder = temporaryFolder()
    const tuner = await setUp(folder.path, { is_dummy: true })
    const findings = await tuner.calibrate(request, io)
    expect(findings).toMatchObject({
      status: 'failed',
      backend: 'scheduler_a_tuner+dummy',
      device_file: null,
    })
    expect(findings.routines?.[0]).toMatchObject({ status: 'failed', error: { code: 'no_data' } })
    expect(readFileSync(join(folder.path, 'scheduler.device.yml'), 'utf8')).toBe(DEVICE_FILE)
    expect(existsSync(join(folder.path, 'scheduler.device.yml.prev'))).toBe(false)
  })

  test('fails the calibration, not the start, for a calibration.yml that does not parse', async () => {
    using folder = temporaryFolder()
    const warnings: unknown[] = []
    const log = { ...silentLog, warn: (text: string, fields: unknown) => void warnings.push([text, fields]) }
    const config = 'version: 1\nroutines: {rabbi: {}}\n'
    const tuner = await setUp(folder.path, { is_dummy: true }, config, log)
    expect(warnings).toEqual([
      [
        'calibration config is invalid: calibrations fail',
        {
          problems: ['line 2, column 19: routines.rabbi: unknown routine; did you mean rabi?'],
        },
      ],
    ])
    await expect(tuner.calibrate(request, io)).rejects.toThrow('rabbi')
  })

  test('refuses a calibration that would write a device file which does not parse, at its start', async () => {
    using folder = temporaryFolder()
    const tuner = await setUp(folder.path, { is_simulated: true })
    const path = join(folder.path, 'scheduler.device.yml')
    writeFileSync(path, DEVICE_FILE.replace('rxy: {', 'rxy: ['))
    const calibrate = (mode: 'full' | 'partial' | 'fidelity_check') =>
      tuner.calibrate(
        { ...request, mode, targetQubits: mode === 'partial' ? ['q0'] : [] },
        {
          ...io,
          // What is not refused ends before it measures.
          signal: AbortSignal.abort(new CalibrationError('stopped')),
        },
      )
    for (const mode of ['full', 'partial'] as const)
      await expect(calibrate(mode)).rejects.toThrow(
        /does not parse, .*; correct it first: line \d+, column \d+: /,
      )
    const outcomeOf = async (mode: 'full' | 'fidelity_check') =>
      calibrate(mode).then(
        ({ errors = [] }) => errors.join(),
        (error: unknown) => String(error),
      )
    expect(await outcomeOf('fidelity_check')).toContain('stopped')
    writeFileSync(path, DEVICE_FILE)
    expect(await outcomeOf('full')).toContain('stopped')
  })

  test('logs the targets of calibration.yml that the chip does not have, and calibrates the others', async () => {
    using folder = temporaryFolder()
    const lines: unknown[] = []
    const log = { ...silentLog, info: (...line: unknown[]) => void lines.push(line) }
    const tuner = await setUp(folder.path, { is_dummy: true }, 'target_qubits: [q0, q7]\n', log)
    const { routines = [], notes } = await tuner.calibrate(request, io)
    const note = 'target_qubits: the chip has no q7; did you mean q0?; it is left out'
    expect(lines).toContainEqual(['calibration config is used with notes', { notes: [note] }])
    expect(notes).toContain(note)
    expect(new Set(routines.map(({ target }) => target))).toEqual(new Set(['q0']))
  })

  test('logs a change of the hardware file once, and starts with none that is invalid', async () => {
    using folder = temporaryFolder()
    const path = join(folder.path, 'scheduler.hardware.json')
    const example = readFileSync(join(import.meta.dir, '../../../examples/scheduler.hardware.json'), 'utf8')
    writeFileSync(path, example)
    const warnings: string[] = []
    const log = { ...silentLog, warn: (text: string) => void warnings.push(text) }
    const tuner = await setUp(
      folder.path,
      { is_dummy: true, scheduler_hardware_config: path },
      undefined,
      log,
    )
    await tuner.calibrate(request, io)
    const changes = () => warnings.filter((text) => text.startsWith('hardware config changed'))
    expect(changes()).toEqual([])
    writeFileSync(path, example.replace('"internal"', '"external"'))
    await tuner.calibrate(request, io)
    await tuner.calibrate(request, io)
    expect(changes()).toEqual(['hardware config changed; restart the driver to use it'])
    writeFileSync(path, '{}')
    const invalid = setUp(folder.path, { is_dummy: true, scheduler_hardware_config: path })
    await expect(invalid).rejects.toThrow('is not a hardware file')
  })

  test('runs a routine of the site, which imports svc/devices', async () => {
    using folder = temporaryFolder()
    const routine = `import { acquire, defineRoutine } from 'svc/devices'
export const spinLock = defineRoutine({
  name: 'spin_lock', kind: 'qubit', optionalWrites: ['coherence.t1'],
  size: { points: 1, shots: 10 },
  *measure(context) {
    const points = [context.schedule().measure(context.self.name).build()]
    const shots = context.shots(10)
    const [[value]] = yield* acquire({ kind: 'average', shots, reset_ns: 1_000, points })
    return { parameters: { 'coherence.t1': { value: shots * 1e-6 + value.re, unit: 's' } } }
  },
})\n`
    writeFileSync(join(folder.path, 'spin-lock.ts'), routine)
    const config = 'version: 1\nroutines: {./spin-lock.ts#spinLock: {after: t1, shots: 7}}\n'
    const tuner = await setUp(folder.path, { is_dummy: true }, config)
    const findings = await tuner.calibrate(request, io)
    const own = findings.routines?.find((each) => each.routine === 'spin_lock')
    expect(own).toMatchObject({
      status: 'success',
      parameters: { 'coherence.t1': { value: 7e-6, written: false } },
    })
    const order = findings.routines?.map(({ routine: name }) => name) ?? []
    expect(order.indexOf('spin_lock')).toBeGreaterThan(order.indexOf('t1'))
    const broken = await setUp(folder.path, { is_dummy: true }, config.replace('#spinLock', '#other'))
    await expect(broken.calibrate(request, io)).rejects.toThrow(
      'routines../spin-lock.ts#other: the export other is no routine',
    )
    writeFileSync(join(folder.path, 'twin.ts'), routine.replace("'spin_lock'", "'rabi_oscillations'"))
    const twin = await setUp(folder.path, { is_dummy: true }, 'routines: {./twin.ts#spinLock: {}}')
    await expect(twin.calibrate(request, io)).rejects.toThrow(
      'another routine has the name rabi_oscillations',
    )
  })

  test('calibrates a cold chip from its design file, and finds no pulse stale afterwards', async () => {
    using folder = temporaryFolder()
    const tuner = await setUp(folder.path, { is_simulated: true }, ENABLED)
    const findings = await tuner.calibrate(request, io)
    expect(findings.errors).toEqual([])
    expect(findings.status).toBe('success')
    const text = readFileSync(join(folder.path, 'scheduler.device.yml'), 'utf8')
    const value = (key: string) => Number(new RegExp(`\\b${key}: ([^,}]+)`).exec(text)?.[1])
    expect(Math.abs(value('f01') - 4.5e9)).toBeLessThan(12.1e6)
    expect(value('f01')).not.toBe(4.5e9)
    expect(value('t1')).toBeGreaterThan(20e-6)
    const xy = findings.benchmarks?.find(({ protocol }) => protocol === 'all_xy')
    expect(xy?.error).toBeLessThan(0.08)
    const partial = await tuner.calibrate({ ...request, mode: 'partial', targetQubits: ['q0'] }, io)
    const stale = /check of (qubit_01_spectroscopy|rabi|ramsey|motzoi|n_rabi|t1)\w* (out|could not)/
    expect(partial.notes?.filter((note) => stale.test(note))).toEqual([])
  })

  test('stores raw data of a run on the simulated chip when asked', async () => {
    using folder = temporaryFolder()
    const tuner = await setUp(folder.path, { is_simulated: true, save_raw_data: true })
    const findings = await tuner.calibrate({ ...request, mode: 'fidelity_check' }, io)
    expect(findings.backend).toBe('scheduler_a_tuner+simulated')
    expect(existsSync(join(folder.path, 'simulated.chip.yml'))).toBe(true)
    const raw = join(folder.path, 'raw', request.runId)
    expect(readdirSync(raw)).toContain('00001-q0.npy')
    const { files } = JSON.parse(readFileSync(join(raw, 'index.json'), 'utf8'))
    const benchmark = files.find(
      ({ labels }: { labels: Record<string, unknown> }) => labels['routine'] === 'randomized_benchmarking',
    )
    expect(benchmark.labels).toMatchObject({ targets: ['q0'], attempt: 1, unit: 'V' })
    expect(benchmark.labels.sweeps.q0.depths.length).toBeGreaterThan(2)
    expect(readFileSync(join(folder.path, 'scheduler.device.yml'), 'utf8')).toBe(DEVICE_FILE)
  })

  test.each([
    [
      { is_dummy: true, is_simulated: true },
      'bad value for -o is_dummy: cannot be combined with is_simulated',
    ],
    [{ drift_check_interval: 30_000 }, 'bad value for -o drift_check_interval: expected 0 or at least 60s'],
    [{ fidelity_threshold: 1 }, 'bad value for -o fidelity_threshold: expected a number between 0 and 1'],
    [{ calibration_config: '/no/such.yml' }, 'startup error: calibration config not found: /no/such.yml'],
    [{}, 'startup error: no instrument'],
  ])('refuses to start with %j', async (given, reason) => {
    using folder = temporaryFolder()
    await expect(setUp(folder.path, given)).rejects.toThrow(reason)
  })
})
