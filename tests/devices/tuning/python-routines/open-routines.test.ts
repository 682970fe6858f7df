import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../../src/base/index.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { readCalibrationConfig } from '../../../../src/devices/tuning/config/read-config.ts'
import { openPythonRoutines } from '../../../../src/devices/tuning/python-routines/open-routines.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { importRoutines } from '../../../../src/devices/tuning/run/own-routines.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { PYTHON_ENV, SDK_FOLDER, skipsPython } from '../../../support/python/devices.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { calibratedQubit } from '../../../support/tuning/calibrated-qubit.ts'
import { DEVICE_FILE } from '../../../support/tuning/calibration-runs.ts'
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
        os._exit(3)

class Hangs(Good):
    def measure(self, context):
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

/** Runs classes of the lab on two qubits, with what their process logs. */
async function walked(names: readonly string[], log = silentLog, clock = new FakeClock(), qubits = 2) {
  const paths = names.map((name) => `lab:${name}`)
  const { routines, close } = await openPythonRoutines(paths, folder.path, { ...place, log })
  try {
    const all = paths.map((path) => {
      const routine = routines.get(path)
      if (!routine) throw new Error(`no ${path}`)
      return routine
    })
    const walk = setUp(all, {
      chip: lineChip(qubits, { q0: { b: 7 }, q1: { b: 8 } }),
      runner: { clock },
    })
    const { results, stopped } = await walk.run()
    const errors = results.map(({ target, outcome: { error, attempts } }) =>
      error ? `${target} ${error.code} after ${attempts}: ${error.message}` : `${target} found`,
    )
    return { ...walk, results, stopped, errors, ends: ends(walk.events) }
  } finally {
    close()
  }
}

describe.skipIf(skip)('openPythonRoutines()', () => {
  test('a routine in Python measures, and its value is used with the declared unit', async () => {
    const { results, instrument, values, stopped } = await walked(['Good'])
    expect(stopped).toBeUndefined()
    expect(results.map(({ parameters }) => parameters['a'])).toEqual([
      { value: 7, error: 0.1, unit: 'Hz', checkLimit: 2, previous: undefined, isApplied: true },
      { value: 9, error: 0.1, unit: 'Hz', checkLimit: 2, previous: undefined, isApplied: true },
    ])
    expect(values.changes.map(({ path, value }) => [path, value])).toEqual([
      ['a', 7],
      ['a', 9],
    ])
    expect(instrument.programs.map(({ shots }) => shots)).toEqual([7, 7])
  })

  test('a crash, an error and results that are none fail the step, and the run goes on', async () => {
    const names = [
      'Crashes',
      'Fails',
      'Exits',
      'Declines',
      'Unset',
      'Undeclared',
      'Infinite',
      'Strange',
      'Nothing',
    ]
    const { errors, stopped, ends: all } = await walked([...names, 'Good'])
    expect(stopped).toBeUndefined()
    expect(errors.filter((line) => line.startsWith('q0'))).toEqual([
      'q0 crashed after 1: the process of routines in Python ended (code 3), see the driver log',
      'q0 internal after 1: ZeroDivisionError: see the driver log',
      'q0 internal after 1: SystemExit: see the driver log',
      'q0 not_set after 1: q0.rxy.duration is not set',
      'q0 invalid_result after 1: the routine in Python: c is found, and neither in writes nor in optional_writes',
      'q0 invalid_result after 1: the routine found a value that is no finite number, at finding.parameters.a.value',
      expect.stringContaining('q0 invalid_result after 1: a request: schedules.0.0.overrides.frequncy: '),
      'q0 internal after 1: TypeError: see the driver log',
      'q0 found',
    ])
    expect(all.filter((line) => line.startsWith('declines'))).toEqual([
      'declines q0 declined',
      'declines q1 declined',
    ])
  })

  test('a hang ends with the time limit of its routine; the next one has a new process', async () => {
    const clock = new FakeClock()
    const log = {
      ...silentLog,
      info: (text: string) => void (text.includes('hanging') && clock.advance(900_000)),
    }
    const { errors, stopped } = await walked(['Hangs', 'Good'], log, clock, 1)
    expect(stopped).toBeUndefined()
    expect(errors).toEqual(['q0 timeout after 1: no result within 900 s', 'q0 found'])
  })

  test('what is measured beside a crash is measured again alone', async () => {
    writeFileSync(
      join(folder.path, 'half.py'),
      `${LAB}
class Half(Good):
    def measure(self, context):
        found = super().measure(context)
        if context.target == "q0":
            os._exit(4)
        return found
`,
    )
    const { routines, close } = await openPythonRoutines(['half:Half'], folder.path, place)
    try {
      const { run } = setUp([...routines.values()], {
        chip: lineChip(2, { q0: { b: 7 }, q1: { b: 8 } }),
        input: { group: (targets) => [[...targets]] },
      })
      const { results } = await run()
      expect(results.map(({ outcome: { error, attempts } }) => [error?.code, attempts])).toEqual([
        ['crashed', 1],
        [undefined, 2],
      ])
    } finally {
      close()
    }
  })

  test('the example in the place of t1 finds the relaxation time with the rules of built-in routines', async () => {
    const { routines, close } = await openPythonRoutines(['fast_t1:FastT1'], EXAMPLES, place)
    try {
      const [routine] = [...routines.values()]
      if (!routine) throw new Error('no routine')
      const t1 = 40e-6
      const chip = calibratedQubit(3, { t1, t2_echo: 50e-6, t2_star: 30e-6 })
      const { error, finding } = await chip.measure(routine)
      expect(error).toBeUndefined()
      const found = finding?.parameters?.['coherence.t1']
      expect(found?.unit).toBe('s')
      expect(Math.abs(Number(found?.value) - t1)).toBeLessThan(5 * (found?.error ?? 0))
      expect(found?.error).toBeLessThan(0.1 * t1)
      expect(finding?.quality?.['dbic']).toBeGreaterThan(15)
      expect(finding?.trace).toMatchObject({
        kind: 'line',
        model: 'exponential',
        x: { name: 'delay', unit: 's' },
      })
    } finally {
      close()
    }
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

  test('gives a routine that replaces a built-in one its name and its place, and follows its imports', async () => {
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
  })

  test.each([
    ['routines: {lab:None_: {}}', 'routine lab:None_: lab has no None_; it defines '],
    [
      'routines: {nolab:Good: {}}',
      "routine nolab:Good cannot be imported: ModuleNotFoundError: No module named 'nolab'",
    ],
    [
      'routines: {os:path: {}}',
      'routine os:path is no routine; derive a class from svc_driver.tuning.Routine',
    ],
    ['routines: {3lab:Good: {}}', 'expected module:Class of Python, or a path such as ./file.ts#export'],
  ])('refuses %s', async (text, reason) => {
    await expect(imported(text, folder.path)).rejects.toThrow(reason)
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
