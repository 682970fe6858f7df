import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { BUILT_IN_ROUTINES } from '../../../src/devices/tuning/routines/index.ts'
import { openTunerLab } from '../../support/cluster/tuner-lab.ts'

const ENABLED = ['resonator_spectroscopy', 'time_of_flight', 'qubit_01_spectroscopy', 'rabi_oscillations']

/** Whole calibrations: `whole-calibration.test.ts`, and `bun bench/cluster/calibrations.ts` with figures. */
describe.each(['1.0', '1.1'])('a tuner on a cluster with commands of version %s', (scpiVersion) => {
  test('calibrates a qubit from the first connection to the device file', async () => {
    const routines = Object.fromEntries(
      BUILT_IN_ROUTINES.map(({ name }) => [
        name,
        ENABLED.includes(name) ? { shots: 100 } : { enabled: false },
      ]),
    )
    await using lab = await openTunerLab({ scpiVersion, qubits: 1, seed: 4, config: { routines } })
    const findings = await lab.calibrate()
    const outcomes = findings.routines?.map(({ routine, status, error }) => [routine, status, error])
    expect(outcomes).toEqual(ENABLED.map((name) => [name, 'success', undefined]))
    expect(findings.backend).toBe('scheduler_a_tuner+cluster')
    const { q0 } = parse(readFileSync(lab.devicePath, 'utf8'))
    const f01 = lab.chip.conditions().transmons.get('q0')?.f01 ?? Number.NaN
    expect(Math.abs(q0.clock_freqs.f01 - f01)).toBeLessThan(1e6)
    expect(q0.rxy.amp180).not.toBe(0.5)
    expect(lab.cluster.sequencers.some(({ sequencer }) => sequencer.isSynced)).toBe(false)
  }, 120_000)
})
