import { HOUR_S } from '../../../../base/index.ts'
import { DRAW, Draws } from '../random.ts'

/** How a value drifts: a smooth part and steps. */
interface DriftModel {
  /** Standard deviation of the smooth part. */
  sigma: number
  /** Mean number of steps a day, and their largest and smallest size. */
  steps?: { perDay: number; from: number; to: number }
}

const TERMS = 8
const FASTEST_S = 20 * 60
const SLOWEST_S = 20 * 86_400

/** Periods of the terms, s, log-spaced; slow ones are larger, as in 1/f noise. */
const PERIODS = Array.from(
  { length: TERMS },
  (_, k) => FASTEST_S * (SLOWEST_S / FASTEST_S) ** (k / (TERMS - 1)),
)
const TOTAL = PERIODS.reduce((sum, period) => sum + period, 0)

/** Values that drift with time, as a function of time only: a restart changes nothing. */
export class Drift {
  readonly #draws: Draws
  readonly #phases = new Map<string, number[]>()
  /** Sums of the steps up to an hour, which only save work. */
  readonly #sums = new Map<string, { hour: number; sum: number }>()

  constructor(seed: number) {
    this.#draws = new Draws(seed)
  }

  /** Distance of a value of an element from its mean, `t` seconds after the epoch. */
  at(element: string, field: string, t: number, { sigma, steps }: DriftModel): number {
    let smooth = 0
    for (const [k, phase] of this.#phasesOf(element, field).entries()) {
      const period = PERIODS[k] ?? FASTEST_S
      smooth += Math.sqrt((2 * period) / TOTAL) * Math.sin((2 * Math.PI * t) / period + phase)
    }
    return sigma * smooth + (steps ? this.#stepsUntil(element, field, t, steps) : 0)
  }

  /** Whether a rare state of an element holds in the hour of `t`. */
  isHit(element: string, field: string, t: number, perDay: number): boolean {
    return this.#draws.at(DRAW.drift, element, field, Math.floor(t / HOUR_S)).next() < perDay / 24
  }

  /** The state of a switch with this mean dwell time, s. */
  isSwitched(element: string, t: number, dwell: number): boolean {
    return this.#draws.at(DRAW.drift, element, 'switching', Math.floor(t / dwell)).next() < 0.5
  }

  #phasesOf(element: string, field: string): number[] {
    const key = `${element} ${field}`
    const known = this.#phases.get(key)
    if (known) return known
    const rng = this.#draws.at(DRAW.drift, element, field)
    const phases = PERIODS.map(() => 2 * Math.PI * rng.next())
    this.#phases.set(key, phases)
    return phases
  }

  #stepsUntil(element: string, field: string, t: number, steps: NonNullable<DriftModel['steps']>): number {
    const hour = Math.floor(t / HOUR_S)
    const key = `${element} ${field}`
    const known = this.#sums.get(key)
    const start = known && known.hour <= hour ? known : { hour: 0, sum: 0 }
    let { sum } = start
    for (let slot = start.hour; slot < hour; slot++) {
      const rng = this.#draws.at(DRAW.drift, element, field, 'step', slot)
      if (rng.next() >= steps.perDay / 24) continue
      const size = steps.from * (steps.to / steps.from) ** rng.next()
      sum += rng.next() < 0.5 ? -size : size
    }
    this.#sums.set(key, { hour, sum })
    return sum
  }
}

/** Drift of each value, as seen on a chip of 25 qubits over a quarter. */
export const DRIFT_MODELS = {
  f01: { sigma: 8e3, steps: { perDay: 1 / 15, from: 50e3, to: 1e6 } },
  readout: { sigma: 4e3 },
  /** Relative. */
  rabi: { sigma: 0.006, steps: { perDay: 1 / 20, from: 0.03, to: 0.03 } },
  /** Drift of the logarithm. */
  t1: { sigma: 0.2 },
  /** rad */
  readoutPhase: { sigma: (2 * Math.PI) / 180 },
  /** A */
  couplerOffset: { sigma: 2e-6, steps: { perDay: 1 / 10, from: 20e-6, to: 20e-6 } },
  gateResonance: { sigma: 30e3 },
} as const satisfies Record<string, DriftModel>

/** An hour of short T1: how often, and by which factor. */
export const T1_DIP = { perDay: 1, factor: 0.4 } as const
