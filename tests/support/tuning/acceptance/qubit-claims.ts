import type { Transmon } from '../../../../src/devices/bench/simulated/dynamics/transmon.ts'
import {
  bestAmplitude,
  bestMotzoi,
  coherenceLimit,
  minimum,
  pulseErrors,
  quarterAmplitude,
} from './drive-truth.ts'
import { type Claim, claim, relativeClaim, type Taken } from './taken.ts'

/** Tolerances of frequencies in Hz, of weights of the derivative, and relative ones of the rest. */
const TOLERANCE = {
  spectroscopy: { atLeast: 200e3, ofWidth: 0.15 },
  amplitude: 0.02,
  ramsey: { atLeast: 2e3, ofWidth: 0.05 },
  motzoi: 0.005,
  fineAmplitude: 0.0015,
  t1: 0.2,
  t2: 0.25,
  upperSpectroscopy: 300e3,
  upperAmplitude: 0.04,
  upperRamsey: 10e3,
  upperMotzoi: 0.01,
  upperFineAmplitude: 0.003,
  benchmarking: 0.15,
  purity: 0.2,
} as const

/** What is true of the findings of the routines of a qubit, by routine. */
export const QUBIT_CLAIMS: Readonly<Record<string, (taken: Taken) => Claim[]>> = {
  qubit_01_spectroscopy(taken) {
    const { atLeast, ofWidth } = TOLERANCE.spectroscopy
    const width = 2 * (taken.finding.parameters?.['clock_freqs.f01']?.checkLimit ?? 0)
    return claim(taken, 'clock_freqs.f01', transmonOf(taken).f01, Math.max(atLeast, ofWidth * width))
  },
  rabi_oscillations: (taken) =>
    relativeClaim(
      taken,
      'rxy.amp180',
      bestAmplitude(transmonOf(taken), drivenBy(taken), 0),
      TOLERANCE.amplitude,
    ),
  ramsey_correction(taken) {
    const [{ atLeast, ofWidth }, transmon] = [TOLERANCE.ramsey, transmonOf(taken)]
    const tolerance = Math.max(atLeast, ofWidth / (Math.PI * ramseyDecayOf(transmon)))
    return claim(taken, 'clock_freqs.f01', transmon.f01, tolerance)
  },
  motzoi_parameter(taken) {
    const pulse = { ...drivenBy(taken), amplitude: taken.self.number('rxy.amp180') }
    const truth = bestMotzoi(transmonOf(taken), pulse, 0)
    const sigma = pulse.duration / 8
    return [
      ...claim(taken, 'rxy.motzoi', truth, TOLERANCE.motzoi),
      ...claim(taken, 'rxy.beta', truth * sigma, TOLERANCE.motzoi * sigma),
    ]
  },
  n_rabi_oscillations(taken) {
    const [transmon, pulse] = [transmonOf(taken), drivenBy(taken)]
    const share = TOLERANCE.fineAmplitude
    return [
      ...relativeClaim(taken, 'rxy.amp180', bestAmplitude(transmon, pulse, 0), share),
      ...relativeClaim(taken, 'fine.amp90', quarterAmplitude(transmon, pulse), share),
    ]
  },
  t1: (taken) => relativeClaim(taken, 'coherence.t1', relaxationOf(transmonOf(taken)), TOLERANCE.t1),
  t2: (taken) => relativeClaim(taken, 'coherence.t2_star', ramseyDecayOf(transmonOf(taken)), TOLERANCE.t2),
  t2_echo: (taken) =>
    relativeClaim(taken, 'coherence.t2_echo', 1 / transmonOf(taken).rates.dephasing, TOLERANCE.t2),
  qubit_12_spectroscopy: (taken) =>
    claim(taken, 'clock_freqs.f12', upperOf(taken), TOLERANCE.upperSpectroscopy),
  rabi_oscillations_12: (taken) =>
    relativeClaim(
      taken,
      'r12.ef_amp180',
      bestAmplitude(transmonOf(taken), upperDrivenBy(taken), 1),
      TOLERANCE.upperAmplitude,
    ),
  ramsey_correction_12: (taken) => claim(taken, 'clock_freqs.f12', upperOf(taken), TOLERANCE.upperRamsey),
  motzoi_12_parameter(taken) {
    const pulse = { ...upperDrivenBy(taken), amplitude: taken.self.number('r12.ef_amp180') }
    return claim(taken, 'r12.ef_motzoi', bestMotzoi(transmonOf(taken), pulse, 1), TOLERANCE.upperMotzoi)
  },
  n_rabi_12_oscillations: (taken) =>
    relativeClaim(
      taken,
      'r12.ef_amp180',
      bestAmplitude(transmonOf(taken), upperDrivenBy(taken), 1),
      TOLERANCE.upperFineAmplitude,
    ),
  randomized_benchmarking(taken) {
    const value = taken.finding.benchmark?.error
    if (value === undefined) return []
    const { coherent, limit } = errorsOf(taken)
    const truth = coherent + limit
    return [{ path: 'error', value, truth, tolerance: TOLERANCE.benchmarking * truth }]
  },
  purity_benchmarking(taken) {
    const value = taken.finding.benchmark?.incoherent
    if (value === undefined) return []
    const { limit } = errorsOf(taken)
    return [{ path: 'incoherent', value, truth: limit, tolerance: TOLERANCE.purity * limit }]
  },
}

/** The measured error per pulse of a benchmark, and the least that the coherence of the chip allows. */
export function errorAndLimit(taken: Taken): { error: number; limit: number } {
  const { rates } = transmonOf(taken)
  const limit = coherenceLimit({ ...transmonOf(taken), rates }, taken.self.number('rxy.duration'))
  return { error: taken.finding.benchmark?.error ?? Number.NaN, limit }
}

export function transmonOf({ chip, target }: Taken): Transmon {
  const transmon = chip.transmons.get(target)
  if (!transmon) throw new Error(`the chip has no qubit ${target}`)
  return transmon
}

function upperOf(taken: Taken): number {
  const { f01, anharmonicity } = transmonOf(taken)
  return f01 + anharmonicity
}

/** The pulses of a qubit as the routine played them. */
function drivenBy(taken: Taken) {
  const { self } = taken
  const duration = self.number('rxy.duration')
  const beta = self.optional('rxy.beta')
  return {
    ...{ duration, frequency: self.number('clock_freqs.f01') },
    motzoi: self.optional('rxy.motzoi') ?? (beta === undefined ? 0 : (8 * beta) / duration),
  }
}

function upperDrivenBy({ self }: Taken) {
  return {
    ...{
      duration: self.optional('r12.ef_duration') ?? self.number('rxy.duration'),
      frequency: self.number('clock_freqs.f12'),
    },
    motzoi: self.optional('r12.ef_motzoi') ?? 0,
  }
}

function errorsOf(taken: Taken) {
  const { self } = taken
  const amp180 = self.number('rxy.amp180')
  const amplitudes = { amp180, amp90: self.optional('fine.amp90') ?? amp180 / 2 }
  return pulseErrors(transmonOf(taken), drivenBy(taken), amplitudes)
}

function relaxationOf({ rates }: Transmon): number {
  return 1 / (rates.up + rates.down)
}

/** When the fringes have fallen to 1/e, by exponential decay, slow noise and two frequencies together, s. */
function ramseyDecayOf({ rates, slowNoise, switching }: Transmon): number {
  const contrast = (t: number) =>
    Math.exp(-rates.dephasing * t - (2 * Math.PI * slowNoise * t) ** 2 / 2) *
    Math.cos(Math.PI * switching * t)
  const node = switching === 0 ? Number.POSITIVE_INFINITY : 1 / (2 * Math.abs(switching))
  return minimum((t) => (contrast(t) - 1 / Math.E) ** 2, 0, Math.min(node, 1 / rates.dephasing))
}
