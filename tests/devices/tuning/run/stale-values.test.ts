import { describe, expect, test } from 'bun:test'
import { silentLog } from '../../../../src/base/index.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { Provenance } from '../../../../src/devices/chip/provenance/provenance.ts'
import { type Routine, RoutineError } from '../../../../src/devices/tuning/routine.ts'
import { recordFidelityCheck } from '../../../../src/devices/tuning/run/record-checks.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { calibrationRuns, ROUTINES } from '../../../support/tuning/calibration-runs.ts'
import { scriptedRoutine } from '../../../support/tuning/scripted.ts'

const PATH = 'clock_freqs.f01'
const [SPECTROSCOPY, ...REST] = ROUTINES
const failing: readonly Routine[] = [
  scriptedRoutine(
    {
      name: 'qubit_01_spectroscopy',
      writes: [PATH],
      ...(SPECTROSCOPY?.check && { check: SPECTROSCOPY.check }),
    },
    () => {
      throw new RoutineError('no_signal', 'no line was found')
    },
  ),
  ...REST,
]
const partial = { mode: 'partial', targetQubits: ['q0', 'q1'] } as const
const PARTIAL = { mode: partial.mode, targetQubits: [...partial.targetQubits] }

describe('the check of a partial calibration finds a value stale', () => {
  test('that is marked when the run does not replace it, until one does', async () => {
    using folder = temporaryFolder()
    const { run, devicePath } = calibrationRuns(folder.path)
    const staleOf = (element: string, value: number) =>
      Provenance.read(devicePath).staleOf(element, PATH, value)
    await run({ ...PARTIAL, routines: failing })
    expect(staleOf('q1', 5e9)).toMatchObject({ routine: 'qubit_01_spectroscopy', run: 'run000000000001' })
    expect(staleOf('q0', 4.5e9)).toBeUndefined()
    await run(PARTIAL)
    expect([staleOf('q1', 5e9), staleOf('q1', 5.001e9)]).toEqual([undefined, undefined])
  })

  test('that stays marked when the routine cannot improve it', async () => {
    using folder = temporaryFolder()
    const { run, devicePath } = calibrationRuns(folder.path)
    const [first, ...rest] = failing
    if (!first) throw new Error('no routine')
    const unresolved = scriptedRoutine({ ...first, name: 'qubit_01_spectroscopy' }, () => ({
      unresolved: true,
    }))
    await run({ ...PARTIAL, routines: [unresolved, ...rest] })
    expect(Provenance.read(devicePath).staleOf('q1', PATH, 5e9)).toBeDefined()
  })

  test.each([
    ['is pinned', { config: `version: 1\npin: {q1: [${PATH}]}\n` }, true],
    ['belongs to an instrument without a chip', { routines: failing, mayWrite: false }, false],
  ])('that %s', async (_, options, isMarked) => {
    using folder = temporaryFolder()
    const { run, devicePath } = calibrationRuns(folder.path)
    await run({ ...PARTIAL, ...options })
    expect(Provenance.read(devicePath).staleOf('q1', PATH, 5e9) !== undefined).toBe(isMarked)
  })
})

test('a fidelity check marks the gates that are worse than their thresholds, and removes marks of good ones', () => {
  using folder = temporaryFolder()
  const { devicePath, text } = calibrationRuns(folder.path)
  const file = readDeviceFile(text())
  if ('problems' in file) throw new Error(file.problems.join())
  const check = (fidelity: number, mode: 'fidelity_check' | 'partial' = 'fidelity_check') =>
    recordFidelityCheck(
      { mode, runId: 'run1' },
      {
        status: 'success',
        benchmarks: [{ protocol: 'randomized_benchmarking', target: 'q0', fidelity, qubits: ['q0'] }],
      } as never,
      {
        setup: { devicePath, clock: new FakeClock(), log: silentLog, mayWrite: true },
        chip: file.chip,
        limits: { qubit: 0.99, edge: 0.9, errorFactor: 3 },
      },
    )
  const mark = () => Provenance.read(devicePath).staleOf('q0', 'rxy.amp180', 0.5)?.routine
  const good = (routine: string) =>
    Provenance.read(devicePath).recordChecks({ stale: [], good: [{ element: 'q0', routine }] })
  check(0.95, 'partial')
  expect(mark()).toBeUndefined()
  check(0.95)
  expect(mark()).toBe('randomized_benchmarking')
  good('rabi_oscillations')
  expect(mark()).toBe('randomized_benchmarking')
  check(0.995)
  expect(mark()).toBeUndefined()
})
