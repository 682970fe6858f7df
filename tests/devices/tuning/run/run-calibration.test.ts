import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CalibrationError } from '../../../../src/devices/errors.ts'
import { acquire, type Routine, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { calibrationRuns, DEVICE_FILE, ROUTINES } from '../../../support/tuning/calibration-runs.ts'
import { RecordingMover, scriptedRoutine, windowOf } from '../../../support/tuning/scripted.ts'

describe('runCalibration()', () => {
  test('writes what a full run found, nothing else, and notes its origin', async () => {
    using folder = temporaryFolder()
    const { run, text, steps } = calibrationRuns(folder.path)
    const findings = await run()
    expect(findings.status).toBe('success')
    expect(text()).toBe(
      DEVICE_FILE.replace('0.5}', '0.45}').replace('0.4}', '0.45}').replace('5.0e+9', '5.001e+9'),
    )
    expect(findings.device_file?.changed).toBe(4)
    expect(readFileSync(join(folder.path, 'scheduler.device.yml.prev'), 'utf8')).toBe(DEVICE_FILE)
    const origins = readFileSync(join(folder.path, 'scheduler.device.provenance.yml'), 'utf8')
    expect(origins).toContain('qubit_01_spectroscopy')
    expect(findings.routines?.map(({ routine, target, status }) => `${routine} ${target} ${status}`)).toEqual(
      [
        ...['qubit_01_spectroscopy q0 success', 'qubit_01_spectroscopy q1 success'],
        ...['rabi_oscillations q0 success', 'rabi_oscillations q1 success'],
        ...['randomized_benchmarking q0 success', 'randomized_benchmarking q1 success'],
      ],
    )
    expect(findings.routines?.[1]?.parameters).toEqual({
      'clock_freqs.f01': { value: 5.001e9, error: 100, unit: 'Hz', previous: 5e9, written: true },
    })
    expect(findings.notes?.[0]).toBe('first note')
    expect(
      findings.notes?.some((note) => note.startsWith('q0: no measurement on record before this run')),
    ).toBe(true)
    expect(steps[0]).toMatchObject({ phase: 'plan', total: 3 })
    expect(steps.at(-1)).toMatchObject({ phase: 'write', step: 3, ok: 6, failed: 0, skipped: 0 })
  })

  test('measures pinned values without writing them, and leaves disabled routines out', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path)
    const config =
      'version: 1\npin: {q1: [clock_freqs.f01]}\nroutines: {rabi_oscillations: {enabled: false}}\n'
    const findings = await run({ config })
    expect(text()).toBe(DEVICE_FILE)
    expect(findings.routines?.[1]?.parameters?.['clock_freqs.f01']).toMatchObject({
      value: 5.001e9,
      written: false,
    })
    expect(findings.skipped?.map(({ reason }) => reason)).toEqual(['disabled', 'disabled'])
  })

  test('a fidelity check changes nothing', async () => {
    using folder = temporaryFolder()
    const { run, text, steps } = calibrationRuns(folder.path)
    const findings = await run({ mode: 'fidelity_check' })
    expect(findings.benchmarks?.map(({ target, fidelity }) => [target, fidelity])).toEqual([
      ['q0', 0.999],
      ['q1', 0.999],
    ])
    expect([text(), existsSync(join(folder.path, 'scheduler.device.yml.prev'))]).toEqual([DEVICE_FILE, false])
    expect(existsSync(join(folder.path, 'scheduler.device.provenance.yml'))).toBe(false)
    expect(steps[0]?.plan?.map(({ routine }) => routine)).toEqual(['randomized_benchmarking'])
  })

  test('a partial run repairs what the checks blame, and leaves other targets as they are', async () => {
    using folder = temporaryFolder()
    const { run, text, steps } = calibrationRuns(folder.path)
    await run()
    writeFileSync(join(folder.path, 'scheduler.device.yml'), text().replace('5.001e+9', '5.0e+9'))
    const before = text()
    steps.length = 0
    const findings = await run({ mode: 'partial', targetQubits: ['q1'] })
    expect(findings.routines?.map(({ routine, target }) => `${routine} ${target}`)).toEqual([
      ...['qubit_01_spectroscopy q1', 'rabi_oscillations q1'],
    ])
    expect(text()).toBe(before.replace('5.0e+9', '5.001e+9'))
    expect(findings.notes).toContain('q1: check of qubit_01_spectroscopy out by 4.00 times its limit')
    expect(steps[0]).toMatchObject({ phase: 'check', routine: 'qubit_01_spectroscopy', target: 'q0' })
    await expect(run({ mode: 'partial', targetQubits: ['q7'] })).rejects.toThrow('names q7')
  })

  test('writes what succeeded beside a failure', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path)
    const broken = scriptedRoutine(
      { name: 'qubit_01_spectroscopy', writes: ['clock_freqs.f01'] },
      (target) => {
        if (target === 'q1') throw new RoutineError('no_data', 'zeros')
        return {}
      },
    )
    const findings = await run({ routines: [broken, ...ROUTINES.slice(1)] })
    expect(findings).toMatchObject({
      status: 'partial_failure',
      errors: ['q1 qubit_01_spectroscopy: no_data zeros; blocked by it: 1 on q1'],
    })
    expect(text()).toBe(DEVICE_FILE.replace('0.5}', '0.45}'))
    expect(findings.skipped).toEqual([
      { routine: 'rabi_oscillations', target: 'q1', reason: 'blocked', detail: 'q1 qubit_01_spectroscopy' },
    ])
  })

  test('writes nothing without a chip, or when it is stopped', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path)
    expect((await run({ mayWrite: false })).device_file).toBeNull()
    const stop = new AbortController()
    const stopping = scriptedRoutine({ name: 'rabi_oscillations', writes: ['rxy.amp180'] }, () => {
      stop.abort(new CalibrationError('calibration stopped'))
      return {}
    })
    const findings = await run({ stop, routines: [...ROUTINES.slice(0, 1), stopping] })
    expect(findings).toMatchObject({ status: 'aborted', errors: ['calibration stopped'] })
    expect(text()).toBe(DEVICE_FILE)
  })

  const checked = (state: 'in' | 'throws') =>
    scriptedRoutine(
      {
        ...{ name: 'qubit_01_spectroscopy', writes: ['clock_freqs.f01'] },
        *check({ target }) {
          yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points: [windowOf(target)] })
          if (state === 'throws') throw new RoutineError('no_data', 'zeros')
          return { state: 'in', margin: 0.1 }
        },
      },
      () => ({ parameters: { 'clock_freqs.f01': { value: 4.6e9, unit: 'Hz' } } }),
    )

  test('a partial run that finds nothing stale has measured that, and succeeds', async () => {
    using folder = temporaryFolder()
    const { run, text } = calibrationRuns(folder.path)
    const routines = [checked('in')]
    await run({ routines })
    const before = text()
    const findings = await run({ routines, mode: 'partial', targetQubits: ['q0', 'q1'] })
    expect(findings).toMatchObject({ status: 'success', routines: [], device_file: null, errors: [] })
    expect(findings.notes).toContain('nothing was stale: 2 checks in')
    expect(text()).toBe(before)
  })

  test('a partial run whose checks could not decide has measured nothing, and fails', async () => {
    using folder = temporaryFolder()
    const { run } = calibrationRuns(folder.path)
    await run({ routines: [checked('in')] })
    const findings = await run({ routines: [checked('throws')], mode: 'partial', targetQubits: ['q0'] })
    expect(findings).toMatchObject({ status: 'failed', routines: [] })
    expect(findings.notes).toEqual(
      expect.arrayContaining([
        'q0: check of qubit_01_spectroscopy could not decide: no_data: zeros',
        'nothing was calibrated: no check could tell whether a value is stale',
      ]),
    )
  })

  test('a fidelity check after a calibration leaves every file and every current byte by byte', async () => {
    using folder = temporaryFolder()
    const couplers = new RecordingMover(['q0_q1'])
    const { run, text, devicePath } = calibrationRuns(folder.path)
    const gate = scriptedRoutine(
      { kind: 'edge', name: 'cz_rb', dependsOn: ['randomized_benchmarking'] },
      () => ({
        benchmark: { metric: 'average_gate', fidelity: 0.98, error: 0.02 },
        // Even what a benchmark should not find is not written.
        parameters: { 'cz.square_amp': { value: 0.1 } },
      }),
    )
    const routines = [...ROUTINES, gate]
    await run({ routines, setup: { couplers } })
    writeFileSync(devicePath, text().replace('by hand', 'by somebody'))
    const contentOf = () =>
      readdirSync(folder.path)
        .sort()
        .map((name) => [name, readFileSync(join(folder.path, name), 'utf8')])
    const before = contentOf()
    expect(before.map(([name]) => name)).toEqual([
      'scheduler.device.provenance.yml',
      'scheduler.device.yml',
      'scheduler.device.yml.prev',
    ])
    const findings = await run({ routines, mode: 'fidelity_check', setup: { couplers } })
    expect(findings.benchmarks?.map(({ target }) => target)).toEqual(['q0', 'q1', 'q0_q1'])
    expect(contentOf()).toEqual(before)
    expect([findings.device_file, couplers.log]).toEqual([null, []])
  })

  test('shows what was measured last while it runs, thinned out', async () => {
    using folder = temporaryFolder()
    const { run, steps } = calibrationRuns(folder.path)
    const count = 1_001
    const y = Array.from({ length: count }, (_, at) => (at === 0 ? Number.NaN : at))
    const routine = scriptedRoutine({ name: 'rabi_oscillations', optionalWrites: ['rxy.amp180'] }, () => ({
      trace: {
        ...{ kind: 'line', model: 'cosine', y, y_name: 'S21', y_unit: 'V', points: count, curve: y },
        x: { name: 'amplitude', unit: '', values: y.map((_, at) => at / count) },
      },
    }))
    await run({ routines: [routine] })
    const { trace } = steps.at(-1) ?? {}
    expect(trace).toMatchObject({ routine: 'rabi_oscillations', target: 'q1', kind: 'line', y_unit: 'V' })
    expect([trace?.y.length, trace?.x.values.length, trace?.curve?.length]).toEqual([200, 200, 200])
    expect([trace?.y[0], trace?.y.at(-1)]).toEqual([null, count - 1])
  })

  test('warns of a plan that is likely to exceed the time limit of the server', async () => {
    using folder = temporaryFolder()
    const { run } = calibrationRuns(folder.path)
    const [first, ...rest] = ROUTINES
    const long = { ...(first as Routine), size: { points: 900, shots: 400_000 } }
    const findings = await run({ routines: [long, ...rest] })
    expect(findings.notes).toContain(
      'the plan takes about 41.0 h, and the server stops a full run after 48.0 h',
    )
    expect((await run()).notes?.filter((note) => note.includes('the server stops'))).toEqual([])
  })
})
