import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../../src/base/index.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { readCalibrationConfig } from '../../../../src/devices/tuning/config/read-config.ts'
import { openPythonRoutines } from '../../../../src/devices/tuning/python-routines/open-routines.ts'
import { RoutineProcess } from '../../../../src/devices/tuning/python-routines/routine-process.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { importRoutines } from '../../../../src/devices/tuning/run/own-routines.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { PYTHON_ENV, SDK_FOLDER, skipsPython } from '../../../support/python/devices.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { calibratedQubit } from '../../../support/tuning/calibrated-qubit.ts'
import { DEVICE_FILE } from '../../../support/tuning/calibration-runs.ts'
import { gatePair } from '../../../support/tuning/gate-pair.ts'
import { lineChip, scriptedRoutine } from '../../../support/tuning/scripted.ts'
import { ends, setUp } from '../../../support/tuning/scripted-walk.ts'

const skip = skipsPython('routines in Python')
const EXAMPLES = join(SDK_FOLDER, 'examples')
const place = {
  given: '',
  beside: '',
  clock: systemClock,
  log: silentLog,
  env: { ...process.env, ...PYTHON_ENV },
}

/** Routines that go wrong in each way, and one that does not. */
const LAB = `
import os, sys, logging
from svc_driver.tuning import Finding, Routine, RoutineError, Schedule, Value

class Good(Routine):
    optional_writes = {"a": "Hz"}
    def measure(self, context):
        context.averages([Schedule().measure(context.target, frequency=6e9, amplitude=0.1, duration=1e-6, window=1e-6)], 7)
        return Finding({"a": Value(float(context.target[1:]) + context.self.number("b"), 0.1, check_limit=2)}, notes=["seen"])
    def check(self, context):
        return -0.5

class Crashes(Good):
    def measure(self, context):
        found = super().measure(context)
        if context.target == "q0":
            os._exit(3)
        return found

class Hangs(Good):
    def measure(self, context):
        if context.target == "q1":
            return super().measure(context)
        logging.getLogger("lab").info("hanging")
        while True:
            pass

class Fails(Good):
    def measure(self, context):
        return 1 / 0

class Exits(Good):
    def measure(self, context):
        sys.exit(0)

class Declines(Good):
    def measure(self, context):
        raise RoutineError("declined", "has no such line")

class Unset(Good):
    def measure(self, context):
        context.averages([Schedule().rotate(context.target, 1.0).measure(context.target)])

class Undeclared(Good):
    def measure(self, context):
        return Finding({"c": Value(1.0)})

class Infinite(Good):
    def measure(self, context):
        return Finding({"a": Value(float("nan"))})

class Strange(Good):
    def measure(self, context):
        context.averages([Schedule().measure(context.target, frequncy=6e9)])

class Nothing(Good):
    def measure(self, context):
        return None
`

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())
writeFileSync(join(folder.path, 'lab.py'), LAB)

describe.skipIf(skip)('openPythonRoutines()', () => {
  // One walk: each process of Python takes its time to start, and a crash or a hang takes another one.
  test('good routines find values; a crash, a hang and an error fail the step, and the run goes on', async () => {
    const names = [
      ...['Good', 'Fails', 'Exits', 'Declines', 'Unset', 'Undeclared', 'Infinite', 'Strange', 'Nothing'],
      ...['Hangs', 'Crashes'],
    ]
    const clock = new FakeClock()
    const log = {
      ...silentLog,
      info: (text: string) => void (text.includes('hanging') && clock.advance(900_000)),
    }
    const paths = names.map((name) => `lab:${name}`)
    const { routines, close } = await openPythonRoutines(paths, folder.path, { ...place, log })
    try {
      const { run, events, instrument, values } = setUp(
        paths.flatMap((path) => routines.get(path) ?? []),
        {
          chip: lineChip(2, { q0: { b: 7 }, q1: { b: 8 } }),
          runner: { clock },
          input: { group: (targets) => [[...targets]] },
        },
      )
      const { results, stopped } = await run()
      expect(stopped).toBeUndefined()
      const errors = results.map(({ target, outcome: { error, attempts } }) =>
        error
          ? `${target} ${error.code} after ${attempts}: ${error.message}`
          : `${target} found after ${attempts}`,
      )
      expect(errors.filter((line) => line.startsWith('q0'))).toEqual([
        'q0 found after 1',
        'q0 internal after 1: ZeroDivisionError: see the driver log',
        'q0 internal after 1: SystemExit: see the driver log',
        'q0 not_set after 1: q0.rxy.duration is not set',
        'q0 invalid_result after 1: the routine in Python: c is found, and neither in writes nor in optional_writes',
        'q0 invalid_result after 1: the routine found a value that is no finite number, at finding.parameters.a.value',
        expect.stringContaining('q0 invalid_result after 1: a request: schedules.0.0.overrides.frequncy: '),
        'q0 internal after 1: TypeError: see the driver log',
        'q0 timeout after 1: no result within 900 s',
        'q0 crashed after 1: the process of routines in Python ended (code 3), see the driver log',
      ])
      // What is measured beside a crash is measured again alone, in a new process as after a hang.
      expect(errors.at(-1)).toBe('q1 found after 2')
      expect(ends(events).filter((line) => line.startsWith('declines'))).toEqual([
        'declines q0 declined',
        'declines q1 declined',
      ])
      const good = results.slice(0, 2)
      expect(good.map(({ parameters }) => parameters['a'])).toEqual([
        { value: 7, error: 0.1, unit: 'Hz', checkLimit: 2, previous: undefined, isApplied: true },
        { value: 9, error: 0.1, unit: 'Hz', checkLimit: 2, previous: undefined, isApplied: true },
      ])
      expect(values.changes.slice(0, 2).map(({ path, value }) => [path, value])).toEqual([
        ['a', 7],
        ['a', 9],
      ])
      expect(instrument.programs[0]?.shots).toBe(7)
    } finally {
      close()
    }
  })
})

describe.skipIf(skip)('RoutineProcess', () => {
  const measure = { m: 'measure', routine: 'lab:Good', what: 'measure', target: 'q0', parent: '', child: '' }
  const message = (call: number) => ({ ...measure, call, attempt: 1, failures: [] })

  test('a measurement whose time ends while the process starts leaves the process to the next one', async () => {
    const process = new RoutineProcess(['lab:Good'], folder.path, place)
    try {
      const timedOut = new AbortController()
      const first = process.exchange(1, message(1), timedOut.signal)
      const next = process.exchange(2, message(2), new AbortController().signal)
      timedOut.abort(new Error('its time has ended'))
      await expect(first).rejects.toThrow('its time has ended')
      expect(await next).toMatchObject({ m: 'request', call: 2 })
    } finally {
      process.close()
    }
  })

  test('close() ends a process that is starting', async () => {
    const process = new RoutineProcess(['lab:Good'], folder.path, place)
    const started = process.start()
    process.close()
    await expect(started).rejects.toThrow('ended (SIGKILL)')
  })
})

describe.skipIf(skip)('importRoutines()', () => {
  const file = readDeviceFile(DEVICE_FILE)
  if ('problems' in file) throw new Error(file.problems.join())
  const importers = {
    provideSdk: async () => undefined,
    openPython: (paths: readonly string[], where: string) => openPythonRoutines(paths, where, place),
  }
  const imported = async (text: string, where = EXAMPLES, openPython = importers.openPython) => {
    const config = readCalibrationConfig(text, file.chip)
    if ('problems' in config) throw new Error(config.problems.join())
    return importRoutines(BUILT_IN_ROUTINES, config, where, { ...importers, openPython })
  }

  test('gives a routine that replaces a built-in one its name and place, follows its imports, and it measures', async () => {
    using found = await imported('routines: {fast_t1:FastT1: {replaces: t1, shots: 9}}')
    const names = BUILT_IN_ROUTINES.map(({ name }) => name)
    expect(found.routines.map(({ name }) => name)).toEqual(names)
    const [own, built] = [found.routines, BUILT_IN_ROUTINES].map((all) =>
      all.find(({ name }) => name === 't1'),
    )
    expect(own).not.toBe(built)
    expect(own?.dependsOn).toEqual(built?.dependsOn ?? [])
    expect(found.config.routines.get('t1')?.shots).toBe(9)
    expect(found.notes).toEqual(['routine t1 is fast_t1:FastT1 of the calibration file'])
    const files = Object.keys(found.pythonFiles ?? {}).map((path) => path.split('/').at(-1))
    expect(files).toContain('fast_t1.py')
    expect(files).toContain('tuning.py')
    expect(files).not.toContain('math.py')

    // The rules of built-in routines hold for what it finds.
    const t1 = 40e-6
    const chip = calibratedQubit(3, { t1, t2_echo: 50e-6, t2_star: 30e-6 })
    if (!own) throw new Error('no t1')
    const { error, finding } = await chip.measure(own)
    expect(error).toBeUndefined()
    const value = finding?.parameters?.['coherence.t1']
    expect(value?.unit).toBe('s')
    expect(Math.abs(Number(value?.value) - t1)).toBeLessThan(5 * (value?.error ?? 0))
    expect(value?.error).toBeLessThan(0.1 * t1)
    expect(finding?.quality?.['dbic']).toBeGreaterThan(15)
    expect(finding?.trace).toMatchObject({
      kind: 'line',
      model: 'exponential',
      x: { name: 'delay', unit: 's' },
    })
  })

  test('a routine of an edge finds the interaction at rest with sweep, schedule and fit', async () => {
    using found = await imported('routines: {jazz:Jazz: {}}')
    const jazz = found.routines.find(({ name }) => name === 'jazz')
    if (!jazz) throw new Error('no jazz')
    const { pair } = gatePair({ hand: 1, seed: 5, detuning: 0 })
    for (const qubit of ['q0', 'q1']) pair.values.set(qubit, 'coherence.t2_echo', 60e-6)
    const { error, finding } = await pair.measure(jazz)
    expect(error).toBeUndefined()
    const { value, error: spread = 0 } = finding?.parameters?.['coupling.zz'] ?? {}
    const calibrated = await pair.measure(
      BUILT_IN_ROUTINES.find(({ name }) => name === 'cz_calibration') ?? jazz,
    )
    const { static_zz: zz = Number.NaN, static_zz_error: other = 0 } = calibrated.finding?.quality ?? {}
    expect(Math.abs(Number(value) - zz)).toBeLessThan(4 * Math.hypot(spread, other))
    expect(spread).toBeLessThan(zz / 5)
  })

  test('the examples measure T1 again and again, and the error of one gate', async () => {
    using found = await imported(
      'routines: {repeated_t1:RepeatedT1: {replaces: t1}, interleaved:HalfTurn: {}}',
    )
    const coherence = { t1: 40e-6, t2_echo: 50e-6, t2_star: 30e-6 }
    const chip = calibratedQubit(3, coherence)
    const measure = async (name: string) => {
      const routine = found.routines.find((each) => each.name === name)
      if (!routine) throw new Error(`no ${name}`)
      const { error, finding } = await chip.measure(routine)
      expect([name, error]).toEqual([name, undefined])
      return finding
    }
    const t1 = await measure('t1')
    const { value, error = 0 } = t1?.parameters?.['coherence.t1'] ?? {}
    expect(Math.abs(Number(value) / coherence.t1 - 1)).toBeLessThan(0.1)
    expect(t1?.notes?.join()).toMatch(/^T1 between [\d.]+ and [\d.]+ µs in 8 measurements$/)
    expect(error).toBeLessThan(0.05 * coherence.t1)
    const { error: gateError = 1, fidelityError = 1 } = (await measure('half_turn'))?.benchmark ?? {}
    expect(Math.abs(gateError - chip.gateError)).toBeLessThan(4 * fidelityError)
    expect(fidelityError).toBeLessThan(1e-3)
  })

  test('refuses what is no routine, each with its reason', async () => {
    const refused = imported('routines: {lab:None_: {}, nolab:Good: {}, os:path: {}}', folder.path)
    const reasons = [
      'routine lab:None_: lab has no None_; it defines ',
      "routine nolab:Good cannot be imported: ModuleNotFoundError: No module named 'nolab'",
      'routine os:path is no routine; derive a class from svc_driver.tuning.Routine',
    ]
    for (const reason of reasons) await expect(refused).rejects.toThrow(reason)
    const expected = 'expected module:Class of Python, or a path such as ./file.ts#export'
    await expect(imported('routines: {3lab:Good: {}}', folder.path)).rejects.toThrow(expected)
  })

  test.each([
    ['t1', 'routines.lab:Good: it does not find what t1 finds: coherence.t1'],
    ['cz_chevron', 'it is a routine of the kind qubit, and cz_chevron of the kind edge'],
    ['all_xy', 'it does not find what all_xy finds: a benchmark'],
  ])('refuses a routine in the place of %s that is another one', async (name, reason) => {
    const good = scriptedRoutine({ name: 'good', optionalWrites: ['a'] })
    const python = { routines: new Map([['lab:Good', good]]), files: {}, close: () => undefined }
    const found = imported(`routines: {lab:Good: {replaces: ${name}}}`, '', async () => python)
    await expect(found).rejects.toThrow(reason)
  })

  test('the files of a routine follow imports in functions and of packages', async () => {
    using lab = temporaryFolder()
    const write = (name: string, text: string) => writeFileSync(join(lab.path, name), text)
    const files = {
      'echo.py': 'from svc_driver.tuning import Routine\nimport first\nclass Echo(Routine):\n    pass\n',
      'first.py': 'def late():\n    from second import part\n',
      'second.py': 'import first\n',
      'other.py': 'x = 1\n',
    }
    for (const [name, text] of Object.entries(files)) write(name, text)
    using found = await imported('routines: {echo:Echo: {}}', lab.path)
    const names = Object.keys(found.pythonFiles ?? {}).filter((path) => path.startsWith(lab.path))
    expect(names.map((path) => path.split('/').at(-1)).sort()).toEqual(['echo.py', 'first.py', 'second.py'])
    write('second.py', `${readFileSync(join(lab.path, 'second.py'), 'utf8')}y = 2\n`)
    using again = await imported('routines: {echo:Echo: {}}', lab.path)
    const [before, after] = [found, again].map(({ pythonFiles = {} }) => pythonFiles)
    const changed = names.filter((path) => before?.[path] !== after?.[path])
    expect(changed).toEqual([join(lab.path, 'second.py')])
  })
})
