import { expect } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { silentLog } from '../../../src/base/index.ts'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import type { CalibrationRequest } from '../../../src/devices/define-device.ts'
import { readCalibrationConfig } from '../../../src/devices/tuning/config/read-config.ts'
import { DEVICE_FILE as BASIS_DEVICE_FILE } from '../../../src/devices/tuning/continuation/run-basis.ts'
import { STEP_JOURNAL_FOLDER, withSteps } from '../../../src/devices/tuning/continuation/step-journal.ts'
import { acquire, type Routine } from '../../../src/devices/tuning/routine.ts'
import { runCalibration } from '../../../src/devices/tuning/run/run-calibration.ts'
import type { CalibrationSetup } from '../../../src/devices/tuning/run/setup.ts'
import {
  type CalibrationStep,
  calibrationFindings,
  calibrationStep,
} from '../../../src/protocol/calibration.ts'
import { FakeClock } from '../fake-clock.ts'
import { RecordingInstrument, scriptedRoutine, windowOf } from './scripted.ts'

export const DEVICE_FILE = `# two qubits
q0:
  element_type: {path: svc.CalibratedTransmon, args: [q0], kwargs: {}}
  rxy: {amp180: 0.5} # by hand
  clock_freqs: {f01: 4.5e+9, readout: 6.5e+9}
q1:
  element_type: {path: svc.BasicTransmonElement, args: [q1], kwargs: {}}
  rxy: {amp180: 0.4}
  clock_freqs: {f01: 5.0e+9, readout: 6.6e+9}
q0_q1:
  element_type: {path: svc.CompositeSquareEdge, args: [q0, q1], kwargs: {}}
`

/** The frequency is off on q1, and both amplitudes are found. */
export const ROUTINES: readonly Routine[] = [
  scriptedRoutine(
    {
      ...{ name: 'qubit_01_spectroscopy', writes: ['clock_freqs.f01'] },
      *check({ target, self }) {
        yield* acquire({ kind: 'average', shots: 1, reset_ns: 0, points: [windowOf(target)] })
        const isOff = target === 'q1' && self.optional('clock_freqs.f01') !== 5.001e9
        return isOff ? { state: 'out', margin: 4 } : { state: 'in', margin: 0.1 }
      },
    },
    (target) => ({
      parameters: {
        'clock_freqs.f01': {
          value: target === 'q1' ? 5.001e9 : 4.5e9,
          error: 100,
          unit: 'Hz',
          checkLimit: 1e5,
        },
      },
      quality: { r2: 0.99 },
    }),
  ),
  scriptedRoutine(
    {
      ...{ name: 'rabi_oscillations', dependsOn: ['qubit_01_spectroscopy'] },
      ...{ reads: ['clock_freqs.f01'], writes: ['rxy.amp180'] },
    },
    () => ({ parameters: { 'rxy.amp180': { value: 0.45, error: 1e-3 } } }),
  ),
  scriptedRoutine({ name: 'randomized_benchmarking', dependsOn: ['rabi_oscillations'] }, () => ({
    benchmark: { metric: 'average_gate', fidelity: 0.999, error: 1e-3 },
  })),
]

interface Setup {
  config?: string
  routines?: readonly Routine[]
  mayWrite?: boolean
  mode?: CalibrationRequest['mode']
  targetQubits?: string[]
  stop?: AbortController
  /** Id of the request, without which no steps are kept, and of that which it continues. */
  id?: string
  resume?: string
  clock?: FakeClock
  setup?: Partial<CalibrationSetup>
}

/** Runs of scripted routines on a device file in a folder. */
export function calibrationRuns(folder: string, deviceFile = DEVICE_FILE) {
  const devicePath = join(folder, 'scheduler.device.yml')
  writeFileSync(devicePath, deviceFile)
  const text = () => readFileSync(devicePath, 'utf8')
  const instrument = new RecordingInstrument()
  const steps: CalibrationStep[] = []
  const run = async ({
    config = '',
    routines = ROUTINES,
    mayWrite = true,
    mode = 'full',
    ...rest
  }: Setup = {}) => {
    const file = readDeviceFile(text())
    if ('problems' in file) throw new Error(file.problems.join('\n'))
    const read = readCalibrationConfig(config, file.chip)
    if ('problems' in read) throw new Error(read.problems.join('\n'))
    const { targetQubits = [], id = null, resume, clock = new FakeClock() } = rest
    const request = { runId: 'run000000000001', id, mode, targetQubits, ...(resume && { resume }) }
    const stepOptions = {
      ...{ folder: join(folder, STEP_JOURNAL_FOLDER), now: clock.now(), log: silentLog },
      basis: { [BASIS_DEVICE_FILE]: text(), 'calibration file': config },
    }
    const findings = await withSteps(request, stepOptions, (finished) =>
      runCalibration(
        request,
        { signal: (rest.stop ?? new AbortController()).signal, progress: (step) => steps.push(step) },
        {
          backend: 'scheduler_a_tuner+recording',
          devicePath,
          instrument,
          couplers: undefined,
          clock,
          log: silentLog,
          mayWrite,
          limits: { qubit: 0.99, edge: 0.95, errorFactor: 3 },
          ...rest.setup,
        },
        { file, config: read, routines, notes: ['first note'], finished },
      ),
    )
    expect(v.safeParse(calibrationFindings, findings).issues).toBeUndefined()
    for (const step of steps) expect(v.safeParse(calibrationStep, step).issues).toBeUndefined()
    return findings
  }
  return { run, text, devicePath, steps, instrument }
}
