import { describe, expect, test } from 'bun:test'
import { czCalibration } from '../../../../../src/devices/tuning/routines/edge/cz_calibration.ts'
import { czLocalPhases } from '../../../../../src/devices/tuning/routines/edge/cz_local_phases.ts'
import { gatePair } from '../../../../support/tuning/gate-pair.ts'
import { part } from '../../../../support/whole.ts'

/** An angle in degrees within (-180, 180]. */
const wrapped = (angle: number) => angle - 360 * Math.ceil(angle / 360 - 0.5)

describe('the routines of the phases of a gate', () => {
  const gates = [
    [1, 1, 'parametric', 80e3],
    [-1, 4, 'baseband', 100e3],
    [-1, 2, 'parametric', -300e3],
  ] as const
  test.each(gates.slice(0, part(3, 2)))(
    'find a gate of half a turn, handedness %i, seed %i, %s, %d Hz off',
    async (hand, seed, kind, detuning) => {
      const { pair, value, truthNow } = gatePair({ hand, seed, kind, detuning })
      const { error, finding } = await pair.measure(czCalibration)
      expect(error).toBeUndefined()
      const { phase, leakage, local } = truthNow()
      const quality = finding?.quality ?? {}
      expect(Math.abs(phase - 180)).toBeLessThan(2)
      expect(Math.abs((quality['phase'] ?? Number.NaN) - phase)).toBeLessThan(2)
      expect(leakage).toBeLessThan(0.005)
      expect(Math.abs((quality['leakage'] ?? Number.NaN) - leakage)).toBeLessThan(0.003)
      const rest = Math.abs(pair.chip.conditions().couplings[0]?.gate.conditional ?? Number.NaN)
      expect(Math.abs((quality['static_zz'] ?? Number.NaN) - rest)).toBeLessThan(4e3)
      expect((await pair.check(czCalibration)).state).toBe('in')

      const phases = await pair.measure(czLocalPhases)
      expect(phases.error).toBeUndefined()
      for (const [qubit, role] of [
        ['q0', 'parent'],
        ['q1', 'child'],
      ] as const) {
        // The correction is minus the phase.
        const sum = value(`cz.${role}_phase_correction`) + (local[qubit] ?? Number.NaN)
        expect(Math.abs(wrapped(sum))).toBeLessThan(3)
      }
      expect((await pair.check(czLocalPhases)).state).toBe('in')

      for (const { name, reads, priors } of [czCalibration, czLocalPhases]) {
        const declared = new Set([...reads, ...priors])
        const undeclared = [...(pair.reads.get(name) ?? [])].filter((path) => !declared.has(path))
        expect([name, undeclared]).toEqual([name, []])
      }
    },
  )

  test('what decays from 20 is no leakage, although T1 has fallen since it was measured', async () => {
    const { pair, truthNow } = gatePair({ hand: 1, seed: 1, shortT1: 12e-6 })
    const { finding } = await pair.measure(czCalibration)
    const leakage = finding?.quality?.['leakage'] ?? Number.NaN
    expect(Math.abs(leakage - truthNow().leakage)).toBeLessThan(0.003)
  })

  test('a gate of qubits that keep their phase for less than the wait at rest is found', async () => {
    const { pair, truthNow } = gatePair({
      ...{ hand: 1, seed: 2 },
      adjust: ({ qubits }) => {
        for (const qubit of Object.values(qubits)) Object.assign(qubit, { t2_star: 1.5e-6, t2_echo: 4e-6 })
      },
    })
    for (const name of ['q0', 'q1']) pair.values.set(name, 'coherence.t2_star', 1.5e-6)
    const { error } = await pair.measure(czCalibration)
    expect(error).toBeUndefined()
    expect(Math.abs(truthNow().phase - 180)).toBeLessThan(3)
  })

  test('their checks are out when the gate has moved', async () => {
    const { pair, value, correctPhases } = gatePair({ hand: 1, seed: 3 })
    await pair.measure(czCalibration)
    correctPhases()
    pair.values.set(pair.edge, 'clock_freqs.cz', value('clock_freqs.cz') + 0.5e6)
    expect((await pair.check(czCalibration)).state).toBe('out')
    pair.values.set(pair.edge, 'clock_freqs.cz', value('clock_freqs.cz') - 0.5e6)
    expect((await pair.check(czCalibration)).state).toBe('in')
    pair.values.set(pair.edge, 'cz.square_duration', value('cz.square_duration') + 12e-9)
    expect((await pair.check(czCalibration)).state).toBe('out')
    pair.values.set(pair.edge, 'cz.square_duration', value('cz.square_duration') - 12e-9)
    pair.values.set(pair.edge, 'cz.child_phase_correction', value('cz.child_phase_correction') + 10)
    expect((await pair.check(czLocalPhases)).state).toBe('out')
  })

  test('a gate whose resonance is far away is not accepted', async () => {
    const { pair } = gatePair({ hand: 1, seed: 3, detuning: 12e6 })
    const { error } = await pair.measure(czCalibration)
    expect(error).toBeDefined()
    expect(pair.values.changes.filter(({ element }) => element === pair.edge)).toEqual([])
  })
})
