import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { silentLog, systemClock } from '../../../src/base/index.ts'
import { openPythonRoutines } from '../../../src/devices/tuning/python-routines/open-routines.ts'
import { PYTHON_ENV, SDK_FOLDER } from '../../support/python/devices.ts'
import { openPython } from '../../support/python/python.ts'
import { calibratedQubit } from '../../support/tuning/calibrated-qubit.ts'

setDefaultTimeout(240_000)

const python = await openPython()

describe.skipIf(!python)('drivers/python/examples/cpmg.py', () => {
  test('measures the coherence of a simulated qubit with a fit of SciPy', async () => {
    const env = { ...process.env, ...PYTHON_ENV }
    const place = { given: python ?? '', beside: '', clock: systemClock, log: silentLog, env }
    const { routines, files, close } = await openPythonRoutines(
      ['cpmg:Cpmg'],
      join(SDK_FOLDER, 'examples'),
      place,
    )
    try {
      expect(Object.keys(files).filter((path) => /scipy\/optimize\/__init__\.py$/.test(path))).toHaveLength(1)
      const [routine] = [...routines.values()]
      if (!routine) throw new Error('no routine')
      const chip = calibratedQubit(5, { t1: 60e-6, t2_echo: 70e-6, t2_star: 40e-6 })
      chip.values.set('q0', 'coherence.t2_echo', 70e-6)
      const { error, finding } = await chip.measure(routine)
      expect(error).toBeUndefined()
      const found = finding?.parameters?.['coherence.t2_cpmg']
      expect(found?.unit).toBe('s')
      // Between the echo and the limit of relaxation.
      expect(found?.value).toBeGreaterThan(70e-6 - 5 * (found?.error ?? 0))
      expect(found?.value).toBeLessThan(120e-6 + 5 * (found?.error ?? 0))
      expect(found?.error).toBeLessThan(10e-6)
      expect(finding?.trace).toMatchObject({
        model: 'exponential',
        x: { name: 'delay', unit: 's' },
        points: 41,
      })
    } finally {
      close()
    }
  })
})
