import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { silentLog } from '../../../../src/base/index.ts'
import type { ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { Provenance, provenancePathOf } from '../../../../src/devices/chip/provenance/provenance.ts'
import { staleValuesOf } from '../../../../src/devices/chip/uncalibrated.ts'
import { driftedTargets } from '../../../../src/devices/tuning/drift/decide-drift.ts'
import { BUILT_IN_ROUTINES } from '../../../../src/devices/tuning/routines/index.ts'
import { recordFidelityCheck } from '../../../../src/devices/tuning/run/record-checks.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { coldQubit, coldTruth, only } from '../../../support/tuning/cold-qubit.ts'
import { part, RUNS_WHOLE } from '../../../support/whole.ts'

const LIMITS = { qubit: 0.99, edge: 0.95, errorFactor: 3 }
const DAY_MS = 86_400_000

type Qubit = ChipTruth['qubits'][string]

function qubitOf(truth: ChipTruth): Qubit {
  const { q0 } = truth.qubits
  if (!q0) throw new Error('the chip has no q0')
  return q0
}

const truth = () => {
  const made = coldTruth(5, -1)
  Object.assign(qubitOf(made), { t1: 100e-6, t2_star: 25e-6, t2_echo: 60e-6 })
  return made
}

/** What the gate leaves out takes half of the time of a calibration. */
const ROUTINES = RUNS_WHOLE
  ? BUILT_IN_ROUTINES
  : only(BUILT_IN_ROUTINES.filter(({ name }) => !/12|_2$|three_state|purity/.test(name)))

/** The files of a calibrated qubit. */
const calibrated = (async () => {
  using folder = temporaryFolder()
  const qubit = coldQubit(folder.path, truth())
  const { status, errors } = await qubit.calibrate('full', '', ROUTINES)
  expect([status, errors]).toEqual(['success', []])
  return [qubit.devicePath, provenancePathOf(qubit.devicePath)].map((path) => readFileSync(path, 'utf8'))
})()

/** The calibrated qubit, and how its tuner checks it. */
async function checkedQubit(folder: string, now: ChipTruth) {
  const [device = '', provenance = ''] = await calibrated
  const qubit = coldQubit(folder, now, device)
  writeFileSync(provenancePathOf(qubit.devicePath), provenance)
  const element = () => {
    const file = readDeviceFile(readFileSync(qubit.devicePath, 'utf8'))
    if ('problems' in file) throw new Error(file.problems.join('\n'))
    const [q0] = file.chip.qubits
    if (!q0) throw new Error('no q0')
    return { chip: file.chip, q0 }
  }
  return {
    ...{ clock: qubit.clock, run: () => qubit.calibrate('partial', '', ROUTINES) },
    warnings: () => staleValuesOf(element().q0, Provenance.read(qubit.devicePath)).length,
    async check() {
      const before = readFileSync(qubit.devicePath, 'utf8')
      const findings = await qubit.calibrate('fidelity_check', '', ROUTINES)
      const { devicePath, clock } = qubit
      recordFidelityCheck({ mode: 'fidelity_check', runId: 'run000000000001' }, findings, {
        setup: { devicePath, clock, log: silentLog, mayWrite: true },
        ...{ chip: element().chip, limits: LIMITS },
      })
      expect(readFileSync(qubit.devicePath, 'utf8')).toBe(before)
      return driftedTargets(findings, LIMITS).map(({ reason }) => reason)
    },
  }
}

const CHANGES: [string, (qubit: Qubit) => object, RegExp, string[]][] = [
  [
    'a readout turned by 1.2 rad',
    ({ readout }) => ({ readout: { ...readout, phase: readout.phase + 1.2 } }),
    /readout_fidelity|two_state_discrimination/,
    ['two_state_discrimination'],
  ],
  ['a T1 of 10 µs', () => ({ t1: 10e-6, t2_star: 8e-6, t2_echo: 15e-6 }), /t1: coherence/, ['t1']],
  [
    'f01 beside by 400 kHz',
    ({ f01 }) => ({ f01: f01 + 400e3 }),
    /ramsey_correction: clock_freqs/,
    // A narrow line is seen to have moved as well.
    ['ramsey_correction', 'qubit_01_spectroscopy'],
  ],
  [
    'a drive that is 5 % stronger',
    ({ rabi }) => ({ rabi: 1.05 * rabi }),
    /randomized_benchmarking: error/,
    ['rabi_oscillations', 'n_rabi_oscillations'],
  ],
]

test.each(CHANGES.slice(0, part(CHANGES.length, 1)))(
  'the first check finds %s, jobs have warnings, and a calibration mends it',
  async (_, change, found, blamed) => {
    using folder = temporaryFolder()
    const now = truth()
    Object.assign(qubitOf(now), change(qubitOf(now)))
    const qubit = await checkedQubit(folder.path, now)
    expect(qubit.warnings()).toBe(0)
    expect(await qubit.check()).toEqual([expect.stringMatching(found)])
    expect(qubit.warnings()).toBeGreaterThan(0)
    const { notes, routines } = await qubit.run()
    const first = routines?.[0]?.routine ?? ''
    expect(blamed).toContain(first)
    expect(notes?.some((note) => note.startsWith(`q0: check of ${first} out`))).toBe(true)
    expect([await qubit.check(), qubit.warnings()]).toEqual([[], 0])
  },
  60_000,
)

test('checks of a chip that is as it was find no drift', async () => {
  using folder = temporaryFolder()
  const qubit = await checkedQubit(folder.path, truth())
  for (let check = 0; check < part(200, 3); check++) {
    await qubit.clock.advance(DAY_MS / 4)
    expect([check, await qubit.check(), qubit.warnings()]).toEqual([check, [], 0])
  }
}, 600_000)
