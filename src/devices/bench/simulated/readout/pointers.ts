import type { Complex } from '../../instrument.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import type { Transmon } from '../dynamics/transmon.ts'
import type { Resonator } from '../state/conditions.ts'
import { type Probe, responseOf } from './response.ts'

/** A change of level during a readout pulse. */
export interface Jump {
  /** ns after the arrival of the pulse. */
  at: number
  to: number
}

/** What a window records by the level of the transmon at the start of the pulse. */
export interface Pointers {
  /** Mean over all jumps, V. */
  means: readonly Complex[]
  /** Mean of the window without a jump or with this one, V. */
  signal(level: number, jump?: Jump): Complex
  /** Draws whether and when a level changes before the window ends, from two uniform numbers. */
  jump(level: number, when: number, whither: number): Jump | undefined
  /** Mean of a nanosecond of the window without a jump, V. */
  sample(level: number, index: number): Complex
  /** Deviation of each quadrature of one shot, V. */
  noise: number
  /** Deviation of each quadrature of one nanosecond of one shot, V. */
  sampleNoise: number
}

/** Share of the critical amplitude at which readout is best; induced transitions count from twice as much. */
const BEST_SHARE = 0.3
/** Length of the pulse to which the probability of an induced transition belongs, ns. */
const INDUCED_PULSE_NS = 3000
const JUMP_BINS = 24

/** @param probe undefined when no pulse was played: the window records noise only. */
export function pointersOf(
  resonator: Resonator,
  transmon: Transmon,
  window: number,
  probe?: Probe,
): Pointers {
  const noise = resonator.noise * Math.sqrt(1000 / window)
  const sampleNoise = resonator.noise * Math.sqrt(1000)
  if (!probe) return { ...SILENT, noise, sampleNoise }
  const { from, to } = probe
  const responses = Array.from({ length: LEVELS }, (_, level) => responseOf(resonator, level, probe))
  const between = (level: number, start: number, end: number): Complex => {
    const last = responses[level]?.(end) ?? ZERO
    const first = responses[level]?.(start) ?? ZERO
    return { re: last.re - first.re, im: last.im - first.im }
  }
  const ends = Array.from({ length: LEVELS }, (_, level) => [
    responses[level]?.(from) ?? ZERO,
    responses[level]?.(to) ?? ZERO,
  ])
  const signal = (level: number, jump?: Jump): Complex => {
    const [first = ZERO, last = ZERO] = ends[level] ?? []
    if (!jump || jump.at >= to) return scale({ re: last.re - first.re, im: last.im - first.im }, 1 / window)
    if (jump.at <= from) return signal(jump.to)
    const before = between(level, from, jump.at)
    const after = between(jump.to, jump.at, to)
    return scale({ re: before.re + after.re, im: before.im + after.im }, 1 / window)
  }
  const rates = ratesOf(resonator, transmon, probe.amplitude)
  return {
    means: rates.map((_, level) => meanOf(level, rates[level] ?? [], to, signal)),
    signal,
    jump: (level, when, whither) => drawJump(rates[level] ?? [], to, when, whither),
    sample: (level, index) => between(level, from + index, from + index + 1),
    noise,
    sampleNoise,
  }
}

const ZERO: Complex = { re: 0, im: 0 }
const SILENT = {
  means: [ZERO, ZERO, ZERO],
  signal: () => ZERO,
  jump: () => undefined,
  sample: () => ZERO,
} as const

function scale({ re, im }: Complex, by: number): Complex {
  return { re: re * by, im: im * by }
}

interface Rate {
  to: number
  /** Per ns. */
  rate: number
}

/** The transitions of each level while the readout pulse plays. */
function ratesOf(resonator: Resonator, { rates }: Transmon, amplitude: number): Rate[][] {
  const strong = amplitude / (2 * BEST_SHARE * resonator.critical_amplitude)
  const induced = (resonator.induced * strong * strong) / INDUCED_PULSE_NS
  return [
    [{ to: 1, rate: rates.up * 1e-9 }],
    [
      { to: 0, rate: rates.down * 1e-9 },
      { to: 2, rate: induced },
    ],
    [{ to: 1, rate: 2 * rates.down * 1e-9 }],
  ]
}

function totalOf(rates: readonly Rate[]): number {
  return rates.reduce((sum, { rate }) => sum + rate, 0)
}

function drawJump(rates: readonly Rate[], end: number, when: number, whither: number): Jump | undefined {
  const total = totalOf(rates)
  const at = total > 0 ? -Math.log(1 - when) / total : Number.POSITIVE_INFINITY
  if (at >= end) return undefined
  let rest = whither * total
  for (const { to, rate } of rates) {
    rest -= rate
    if (rest <= 0) return { at, to }
  }
  return undefined
}

/** The mean over the time of the jump, whose probability falls exponentially. */
function meanOf(
  level: number,
  rates: readonly Rate[],
  end: number,
  signal: (level: number, jump?: Jump) => Complex,
): Complex {
  const total = totalOf(rates)
  const stays = Math.exp(-total * end)
  const mean = scale(signal(level), stays)
  if (total === 0) return mean
  for (let bin = 0; bin < JUMP_BINS; bin++) {
    const start = (bin * end) / JUMP_BINS
    const stop = ((bin + 1) * end) / JUMP_BINS
    const share = Math.exp(-total * start) - Math.exp(-total * stop)
    for (const { to, rate } of rates) {
      const { re, im } = signal(level, { at: (start + stop) / 2, to })
      mean.re += ((share * rate) / total) * re
      mean.im += ((share * rate) / total) * im
    }
  }
  return mean
}
