import { axisOf, extentOf, type Label, POPULATION, stepGrid } from '../axes.ts'
import { type Estimate, type EstimateFit, rejectFit } from '../fit.ts'
import { fitCurve, lineData } from '../fit-curve.ts'
import type { Steps } from '../steps.ts'

/** Share of the Nyquist frequency up to which an oscillation is searched. */
const MAX_NYQUIST_SHARE = 0.95
/** Cycles in the sweep: the least without and with a phase, and the step of the search. */
const MIN_CYCLES = 0.3
const MIN_CYCLES_WITH_PHASE = 0.5
const CYCLE_STEP = 0.15

type Names = 'half_period' | 'frequency' | 'contrast' | 'offset'
type PhaseNames = 'frequency' | 'contrast' | 'phase' | 'offset'
type Values = ArrayLike<number>

interface CosineOptions {
  x?: Label
  y?: Label
  /** Whether the phase at x = 0 is fitted too. */
  hasPhase?: boolean
}

/**
 * Fits offset + contrast·cos(2πfx)/2, as population against drive amplitude (Rabi oscillations). A population
 * does not depend on the sign of the amplitude, so that there is no sine; with one, less than a period would
 * not determine the frequency. The wanted value is `half_period` = 1/(2f), the amplitude of a π pulse, which
 * has to lie inside the sweep. `contrast` is negative for a trough at x = 0. With `hasPhase`
 * offset + contrast·cos(2πfx + phase)/2 with at least half a cycle in the sweep: the wanted value is the
 * frequency, the contrast is positive.
 */
export function fitCosine(
  values: Values,
  signal: Values,
  options: CosineOptions & { hasPhase: true },
): Steps<EstimateFit<PhaseNames>>
export function fitCosine(
  values: Values,
  signal: Values,
  options?: CosineOptions & { hasPhase?: false },
): Steps<EstimateFit<Names>>
export function* fitCosine(
  values: Values,
  signal: Values,
  { x = { name: 'amplitude', unit: '' }, y = POPULATION, hasPhase = false }: CosineOptions = {},
): Steps<EstimateFit<Names> | EstimateFit<PhaseNames>> {
  const data = lineData('cosine', axisOf(x, values), axisOf(y, signal))
  const minCycles = hasPhase ? MIN_CYCLES_WITH_PHASE : MIN_CYCLES
  const linear = hasPhase ? 3 : 2
  const curve = () => {
    const { span } = extentOf(values)
    const positions = Float64Array.from(values, (value) => (2 * Math.PI * value) / span)
    return {
      linear,
      candidates: stepGrid(minCycles, maxCycles(values), CYCLE_STEP).map((cycles) => [cycles]),
      lower: [minCycles / 2, ...Array(linear).fill(Number.NEGATIVE_INFINITY)],
      upper: [maxCycles(values) / MAX_NYQUIST_SHARE, ...Array(linear).fill(Number.POSITIVE_INFINITY)],
      basis:
        ([cycles = 0]: Float64Array) =>
        (at: number, out: Float64Array) => {
          const angle = cycles * (positions[at] as number)
          out[0] = 1
          out[1] = Math.cos(angle)
          if (hasPhase) out[2] = Math.sin(angle)
        },
    }
  }
  const frequencyOf = (cycles: number) => cycles / extentOf(values).span
  if (hasPhase) {
    return yield* fitCurve<PhaseNames>({
      ...data,
      parameters: 4,
      curve,
      describe: ([cycles = 0, offset = 0, c = 0, s = 0]) => ({
        frequency: frequencyOf(cycles),
        contrast: 2 * Math.hypot(c, s),
        phase: Math.atan2(-s, c),
        offset,
      }),
      keys: [{ name: 'frequency' }],
    })
  }
  return yield* fitCurve<Names>({
    ...data,
    parameters: 3,
    curve,
    describe([cycles = 0, offset = 0, c = 0]) {
      const frequency = frequencyOf(cycles)
      return { half_period: 0.5 / frequency, frequency, contrast: 2 * c, offset }
    },
    keys: [{ name: 'half_period', swept: values }],
  })
}

/** Cycles over the sweep up to which they are searched. */
export function maxCycles(values: ArrayLike<number>): number {
  return (MAX_NYQUIST_SHARE * (values.length - 1)) / 2
}

/** Largest relative change of the drive at the end of the sweep; from 1/3 on, it would turn back. */
const MAX_COMPRESSION = 0.3
/** Newton's steps to the amplitude of a turn. */
const ROUNDS = 8

type RabiNames = 'half_period' | 'quarter_period' | 'compression' | 'contrast' | 'offset'

/**
 * Fits offset + contrast·z/2 with z = cos(2πfx(1 − cx²)): the signal against the amplitude x of a pulse whose
 * line compresses by the share c at full scale. Each shot begins with the share e of state 1 that is `left`
 * of the one before: instead of z, (1 − e)z / (1 − ez) is seen. The wanted value is `half_period`, the
 * amplitude of a π pulse, which has to lie inside the sweep; `quarter_period` is that of a π/2 pulse. A
 * cosine without compression would be 1 to 2 % off, several times its error.
 */
export function* fitRabi(
  amplitudes: ArrayLike<number>,
  signal: ArrayLike<number>,
  y: Label,
  left = 0,
): Steps<EstimateFit<RabiNames>> {
  const spanOf = () => extentOf(amplitudes).span
  return yield* fitCurve<RabiNames>({
    ...lineData('rabi', axisOf({ name: 'amplitude', unit: '' }, amplitudes), axisOf(y, signal)),
    parameters: 4,
    curve: () => ({
      linear: 2,
      candidates: stepGrid(MIN_CYCLES, maxCycles(amplitudes), CYCLE_STEP).map((cycles) => [cycles, 0]),
      lower: [MIN_CYCLES / 2, -MAX_COMPRESSION, Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
      upper: [2 * maxCycles(amplitudes), MAX_COMPRESSION, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
      basis:
        ([cycles = 0, compression = 0]: Float64Array) =>
        (at: number, out: Float64Array) => {
          const position = (amplitudes[at] as number) / spanOf()
          out[0] = 1
          const z = Math.cos(2 * Math.PI * cycles * position * (1 - compression * position ** 2))
          out[1] = ((1 - left) * z) / (1 - left * z)
        },
    }),
    describe([cycles = 0, compression = 0, offset = 0, c = 0]) {
      const positionOf = (turns: number) => {
        let position = turns / cycles
        for (let round = 0; round < ROUNDS; round++) {
          const excess = position * (1 - compression * position ** 2) - turns / cycles
          position -= excess / (1 - 3 * compression * position ** 2)
        }
        return position
      }
      return {
        half_period: spanOf() * positionOf(1 / 2),
        quarter_period: spanOf() * positionOf(1 / 4),
        compression: compression / spanOf() ** 2,
        contrast: 2 * c,
        offset,
      }
    },
    keys: [{ name: 'half_period', swept: amplitudes }],
  })
}

/** Smallest contrast of a fringe that shows a phase. */
const MIN_CONTRAST = 0.4

type FringeNames = 'phase' | 'contrast' | 'offset'
type FringeFit = EstimateFit<FringeNames>

/**
 * Fits a fringe of known period, offset + contrast·cos(φ − phase)/2, over a sweep of the phase φ (rad). The
 * parameters are linear, so the fit is exact. A fringe of populations with a contrast of at most 0.4 shows no
 * phase (`no_signal`).
 */
export function* fitFringe(phases: ArrayLike<number>, populations: ArrayLike<number>): Steps<FringeFit> {
  const fit = yield* fitCurve<FringeNames>({
    ...lineData('fringe', axisOf({ name: 'phase', unit: 'rad' }, phases), axisOf(POPULATION, populations)),
    parameters: 3,
    curve: () => ({
      linear: 3,
      candidates: [[]],
      basis: () => (at, out) => {
        out[0] = 1
        out[1] = Math.cos(phases[at] as number)
        out[2] = Math.sin(phases[at] as number)
      },
    }),
    describe: ([offset = 0, c = 0, s = 0]) => ({
      phase: Math.atan2(s, c),
      contrast: 2 * Math.hypot(c, s),
      offset,
    }),
    keys: [{ name: 'phase', scale: () => 1 }],
  })
  if (!fit.ok || fit.values.contrast.value > MIN_CONTRAST) return fit
  const found = fit.values.contrast.value.toFixed(2)
  return rejectFit(
    'no_signal',
    `The fringe has a contrast of ${found}; needed is more than ${MIN_CONTRAST}`,
    fit,
  )
}

/** The phase of `to` less that of `from`, rad, in (−π, π]: what a gate adds that is off in one of them. */
export function phaseDifference(from: Estimate, to: Estimate): Estimate {
  const turns = (to.value - from.value) / (2 * Math.PI)
  return {
    value: 2 * Math.PI * (turns - Math.ceil(turns - 0.5)),
    error: Math.hypot(from.error, to.error),
  }
}
