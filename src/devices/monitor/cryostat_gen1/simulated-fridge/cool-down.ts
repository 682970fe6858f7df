import { HOUR_S, MINUTE_S } from '../../../../base/index.ts'
import { createRng } from '../../../../simulator/index.ts'

/** Incidents in simulated seconds since the pumps were started. */
export interface Incidents {
  /** Heat applied to the mixing chamber from `at` on, in W. */
  heater?: { at: number; watts: number }
  /** When the compressor stops; the fridge warms up from then on. */
  compressorOff?: number
}

const AMBIENT_K = 295
/** Condensing starts once the second stage is colder than this, in K. */
const CONDENSING_K = 4.2
const CONDENSING_TAU = 20 * MINUTE_S
const WARM_UP_TAU = 10 * HOUR_S
const FLOW = 0.3e-3

/** Exponential approach from `from` to `to`. */
function approach(from: number, to: number, seconds: number, tau: number): number {
  return to + (from - to) * Math.exp(-seconds / tau)
}

/** Temperature in K of a stage of the pulse tube, which warms up once the compressor is off. */
function stage(base: number, tau: number, t: number, off: number): number {
  const cooled = approach(AMBIENT_K, base, Math.min(t, off), tau)
  return t <= off ? cooled : approach(cooled, AMBIENT_K, t - off, WARM_UP_TAU)
}

const STAGE_50K = { base: 42, tau: 6 * HOUR_S }
const STAGE_4K = { base: 3.2, tau: 8 * HOUR_S }
const CONDENSING_AT = STAGE_4K.tau * Math.log((AMBIENT_K - STAGE_4K.base) / (CONDENSING_K - STAGE_4K.base))

/**
 * Temperature of the mixing chamber in equilibrium, in K: the cooling power of a dilution refrigerator is 84
 * J/(mol K²) times flow and T² (F. Pobell, "Matter and Methods at Low Temperatures", chapter 7), and 10 mK is
 * what the leaks leave without heater.
 */
function mixingBase(watts: number): number {
  return Math.sqrt(0.01 ** 2 + watts / (84 * FLOW))
}

/** A cold stage that leaves the temperature of the 4 K plate once condensing starts, and returns to it. */
function coldStage(base: (t: number) => number, t: number, off: number): number {
  const plate = stage(STAGE_4K.base, STAGE_4K.tau, t, off)
  if (t <= CONDENSING_AT) return plate
  const cold = approach(CONDENSING_K, base(t), Math.min(t, off) - CONDENSING_AT, CONDENSING_TAU)
  if (off <= CONDENSING_AT) return plate
  return t <= off ? cold : approach(cold, plate, t - off, CONDENSING_TAU)
}

/** Pumping of the six gauges: end pressure in mbar, and time constant in s. */
const GAUGES = [
  { end: 1e-6, tau: 10 * MINUTE_S },
  { end: 0.5, tau: 15 * MINUTE_S },
  { end: 80, tau: 12 * MINUTE_S },
  { end: 350, tau: 20 * MINUTE_S },
  { end: 700, tau: 20 * MINUTE_S },
  { end: 1e-2, tau: 8 * MINUTE_S },
] as const

/** Temperature in °C of the compressor's cooling water. */
function waterTemperature(t: number, off: number): number {
  const warmed = approach(20, 35, Math.min(t, off), 10 * MINUTE_S)
  return t <= off ? warmed : approach(warmed, 20, t - off, 10 * MINUTE_S)
}

/** Value of each channel without noise, as a function of simulated seconds. */
function cleanChannels({ heater, compressorOff: off = Infinity }: Incidents) {
  const watts = (t: number) => (heater && t >= heater.at ? heater.watts : 0)
  const heated = (t: number) => {
    const since = heater ? Math.max(0, t - heater.at) : 0
    return approach(mixingBase(0), mixingBase(watts(t)), since, 2 * MINUTE_S)
  }
  const flow = (t: number) =>
    t <= CONDENSING_AT || off <= CONDENSING_AT
      ? 0
      : approach(0, FLOW, Math.min(t, off) - CONDENSING_AT, CONDENSING_TAU) *
        Math.exp(-Math.max(0, t - off) / CONDENSING_TAU)
  return new Map<string, (t: number) => number>([
    ['mapper.bf.t50k', (t) => stage(STAGE_50K.base, STAGE_50K.tau, t, off)],
    ['mapper.bf.t4k', (t) => stage(STAGE_4K.base, STAGE_4K.tau, t, off)],
    ['mapper.bf.tstill', (t) => coldStage(() => 0.9, t, off)],
    ['mapper.bf.tmixing', (t) => coldStage(heated, t, off)],
    ...GAUGES.map(
      ({ end, tau }, i) => [`mapper.bf.p${i + 1}`, (t: number) => approach(1e3, end, t, tau)] as const,
    ),
    ['mapper.bf.flow', (t) => flow(t) * 1e3],
    ['mapper.bf.cpatempwo', (t) => waterTemperature(t, off)],
  ])
}

/** Octaves of the noise; the slowest has a period of a day. */
const OCTAVES = 14
const MIN_NOISE_HZ = 1 / (24 * HOUR_S)
const NOISE = 0.01

/** Noise of equal power in each octave, which is 1/f noise; standard deviation 1. */
function pinkNoise(seed: number): (t: number) => number {
  const rng = createRng(seed)
  const phases = Array.from({ length: OCTAVES }, () => rng.next() * 2 * Math.PI)
  const scale = Math.sqrt(2 / OCTAVES)
  return (t) =>
    scale *
    phases.reduce(
      (sum, phase, octave) => sum + Math.sin(2 * Math.PI * MIN_NOISE_HZ * 2 ** octave * t + phase),
      0,
    )
}

/**
 * A cool-down from room temperature with 1 % of 1/f noise: by channel path, a function from simulated seconds
 * to K, mbar, mmol/s (`flow`) or °C (`cpatempwo`). The time constants are round numbers of the right order,
 * not those of a particular cryostat: 6 h and 8 h for the stages of the pulse tube, 20 min for condensing.
 */
export function coolDown(incidents: Incidents = {}, seed = 1): Map<string, (t: number) => number> {
  return new Map(
    [...cleanChannels(incidents)].map(([path, clean], i) => {
      const noise = pinkNoise(seed + i)
      return [path, (t: number) => clean(t) * (1 + NOISE * noise(t))] as const
    }),
  )
}
