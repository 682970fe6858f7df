import type { Conditions } from '../../../../src/devices/bench/simulated/state/conditions.ts'
import { gateTruth } from '../gate-truth.ts'
import { coherenceLimit } from './drive-truth.ts'
import { type Claim, foundAt, type Taken } from './taken.ts'

/** Tolerances of phases in degrees, of populations, and of errors: relative, and absolute. */
const TOLERANCE = { phase: 2, leakage: 0.003, local: 3, benchmark: 0.2, tomography: 0.02 } as const

/** What is true of the findings of the routines of the phases and errors of a gate, by routine. */
export const GATE_CLAIMS: Readonly<Record<string, (taken: Taken) => Claim[]>> = {
  cz_calibration(taken) {
    const { phase, leakage } = truthOf(taken)
    const { quality = {} } = taken.finding
    const found = { phase: quality['phase'] ?? Number.NaN, leakage: quality['leakage'] ?? Number.NaN }
    return [
      { path: 'phase of the gate', value: phase, truth: 180, tolerance: TOLERANCE.phase },
      { path: 'phase', value: found.phase, truth: phase, tolerance: TOLERANCE.phase },
      { path: 'leakage', value: found.leakage, truth: leakage, tolerance: TOLERANCE.leakage },
    ]
  },
  cz_local_phases(taken) {
    const { local } = truthOf(taken)
    const ends = taken.target.split('_')
    return (['parent', 'child'] as const).flatMap((role, at) => {
      const path = `cz.${role}_phase_correction`
      const value = foundAt(taken, path) ?? Number.NaN
      // The correction is minus the phase, up to full turns.
      const sum = value + (local[ends[at] ?? ''] ?? Number.NaN)
      const turns = 360 * Math.round(sum / 360)
      return [{ path, value, truth: value - sum + turns, tolerance: TOLERANCE.local }]
    })
  },
  cz_rb: (taken) => errorClaim(taken, TOLERANCE.benchmark * truthOf(taken).error),
  process_tomography(taken) {
    const ends = (taken.ends ?? []).map((end) => ({ name: end.name, duration: end.number('rxy.duration') }))
    return errorClaim(taken, TOLERANCE.tomography, pulsesAround(taken.chip, ends))
  },
}

/** Of the turns before and after a gate in tomography, how many are pulses: 3 of 4, and 2 of 3. */
const PULSES_AROUND = 3 / 4 + 2 / 3

/**
 * What coherence lets the pulses around a gate add to its error by tomography, which includes them. An error
 * per pulse is 2/3 of its process infidelity, one of two qubits 4/5.
 */
export function pulsesAround(
  { transmons }: Conditions,
  ends: readonly { name: string; duration: number }[],
): number {
  const errors = ends.map(({ name, duration }) => {
    const transmon = transmons.get(name)
    return transmon ? coherenceLimit(transmon, duration) : Number.NaN
  })
  return errors.reduce((sum, error) => sum + PULSES_AROUND * (4 / 5) * (3 / 2) * error, 0)
}

function errorClaim(taken: Taken, tolerance: number, around = 0): Claim[] {
  const { error = Number.NaN, upperBound } = taken.finding.benchmark ?? {}
  const truth = truthOf(taken).error + around
  // Any error below a bound is what the bound says.
  const value = upperBound ? Math.min(upperBound.error, truth) : error
  return [{ path: 'error', value, truth, tolerance, isMean: true }]
}

/** The gate with the values that the routine found, or used. */
function truthOf(taken: Taken) {
  const { self, chip, target, ends = [] } = taken
  const at = (path: string) => foundAt(taken, path) ?? self.optional(path)
  return gateTruth(chip, target, {
    frequency: at('clock_freqs.cz') ?? 0,
    amplitude: at('cz.square_amp') ?? Number.NaN,
    duration: at('cz.square_duration') ?? Number.NaN,
    drives: Object.fromEntries(ends.map((end) => [end.name, end.number('clock_freqs.f01')])),
    corrections: Object.fromEntries(
      ends.map(({ name }, role) => [name, at(`cz.${role === 0 ? 'parent' : 'child'}_phase_correction`) ?? 0]),
    ),
  })
}
