import { axisOf, extentOf, type Label, linearGrid, logGrid, pairs, stepGrid } from '../axes.ts'
import { type EstimateFit, rejectFit } from '../fit.ts'
import { fitCurve, lineData, mapData } from '../fit-curve.ts'
import type { Steps } from '../steps.ts'
import { fitLorentzian } from './lorentzian.ts'

/** Smallest transfer from 11 to 20 at the peak. */
const MIN_TRANSFER = 0.3
/** Fewest amplitudes at which a line is found. */
const MIN_LINES = 3

type SpectroscopyNames = 'resonance' | 'shift' | 'exchange' | 'transfer'
type CzSpectroscopyFit = EstimateFit<SpectroscopyNames>

/**
 * Fits the transfer from 11 to 20 over drive frequency (Hz) and amplitude A: a line for each amplitude, of
 * its own height, with center `resonance` + `shift`·A² and width 4·`exchange`·A (Hz; full width at half
 * maximum of a line that is driven strongly). `populations` has one row of frequencies for each amplitude.
 * Start values come from fits of single lines, of which at least 3 have to be found; `transfer` is the
 * largest height, above 0.3.
 */
export function* fitCzSpectroscopy(
  frequencies: ArrayLike<number>,
  amplitudes: ArrayLike<number>,
  populations: ArrayLike<number>,
): Steps<CzSpectroscopyFit> {
  const columns = frequencies.length
  const x = axisOf({ name: 'frequency', unit: 'Hz' }, frequencies)
  const y = axisOf({ name: 'amplitude', unit: '' }, amplitudes)
  const data = mapData('cz_spectroscopy', x, y, populations)
  const isWhole = data.swept.length === data.samples.length
  const lines: Line[] = []
  for (const [row, amplitude] of Array.from(isWhole ? amplitudes : []).entries()) {
    const line = yield* fitLorentzian(frequencies, data.samples.subarray(row * columns, (row + 1) * columns))
    if (line.ok && line.values.height.value > 0) lines.push({ amplitude, ...line.values })
  }
  const fit = yield* fitCurve<SpectroscopyNames>({
    ...data,
    parameters: 4 + amplitudes.length,
    curve() {
      const { middle, span } = extentOf(frequencies)
      const largest = Math.max(...Array.from(amplitudes))
      const positions = Float64Array.from(frequencies, (frequency) => (frequency - middle) / span)
      const powers = Float64Array.from(amplitudes, (amplitude) => (amplitude / largest) ** 2)
      const free = Array(amplitudes.length + 1).fill(Number.POSITIVE_INFINITY)
      return {
        linear: amplitudes.length + 1,
        candidates: startsOf(lines, { middle, span, largest }),
        lower: [-2, -3, 1e-3, ...free.map((bound: number) => -bound)],
        upper: [2, 3, 2, ...free],
        basis:
          ([center = 0, shift = 0, width = 1]) =>
          (at, out) => {
            const row = Math.floor(at / columns)
            const power = powers[row] as number
            const distance = (positions[at % columns] as number) - center - shift * power
            out.fill(0)
            out[0] = 1
            out[row + 1] = 1 / (1 + (2 * distance) ** 2 / (width * width * power))
          },
      }
    },
    describe([center = 0, shift = 0, width = 0, , ...heights]) {
      const { middle, span } = extentOf(frequencies)
      const largest = Math.max(...Array.from(amplitudes))
      return {
        resonance: middle + span * center,
        shift: (span * shift) / largest ** 2,
        exchange: (span * width) / largest / 4,
        transfer: Math.max(...heights),
      }
    },
    keys: [
      { name: 'resonance', scale: ({ exchange }) => exchange.value * Math.max(...Array.from(amplitudes)) },
      { name: 'exchange' },
    ],
  })
  if (fit.ok && lines.length < MIN_LINES) {
    return rejectFit(
      'no_signal',
      `A line was found at ${lines.length} amplitudes; needed are ${MIN_LINES}`,
      fit,
    )
  }
  if (!fit.ok || fit.values.transfer.value > MIN_TRANSFER) return fit
  const found = fit.values.transfer.value.toFixed(2)
  return rejectFit('no_signal', `At most ${found} are transferred; needed are more than ${MIN_TRANSFER}`, fit)
}

interface Line {
  amplitude: number
  center: { value: number }
  width: { value: number }
}

/** Start values from all pairs of lines; the true ones are among them even when some lines are wrong. */
function startsOf(
  lines: readonly Line[],
  { middle, span, largest }: { middle: number; span: number; largest: number },
) {
  const points = lines.map(({ amplitude, center, width }) => ({
    power: (amplitude / largest) ** 2,
    center: (center.value - middle) / span,
    width: ((width.value / span) * largest) / amplitude,
  }))
  const starts = points.flatMap((a, at) =>
    points.slice(at + 1).map((b) => {
      const shift = (b.center - a.center) / (b.power - a.power)
      return [a.center - shift * a.power, shift, (a.width + b.width) / 2]
    }),
  )
  return starts.length > 0 ? starts : [[0, 0, 0.1]]
}

/** Contrast of a chevron: populations that differ by more come from references that are no states. */
const [MIN_CONTRAST, MAX_CONTRAST] = [0.4, 1.5]
/**
 * Start values: step of the center (Hz), and the ratio of neighboring exchange rates, which one more axis
 * widens.
 */
const CENTER_STEP = 0.4e6
const EXCHANGE_RATIO = { frequency: 1.12, amplitude: 1.22 }
/** Decay time of the start values, in spans of the durations. */
const START_DECAY = 4
/** Detunings at the end of a sweep of the amplitude, Hz. */
const START_SLOPES = logGrid(1.5e6, 40e6, 10)
/** Every so many cells decide among the start values. */
const STRIDE = 3

type ChevronNames = 'center' | 'exchange' | 'contrast' | 'decay' | 'slope'
type ChevronFit = EstimateFit<ChevronNames>

/**
 * Fits the exchange of 11 and 20 over detuning and duration t (s), offset − contrast·(4g²/Ω²)·(1 −
 * e^(−t/decay)· cos 2πΩt)/2 with Ω² = 4g² + δ² (C. Rigetti and M. Devoret, PRB 81, 134507 (2010), for the two
 * states). Swept is the drive frequency with δ = f − center (Hz), or (`axis: 'amplitude'`) the amplitude of a
 * baseband pulse with δ = slope·(A² − center²). `populations` are those of 11, one row of swept values for
 * each duration; `exchange` is g in Hz. The center has to lie inside the sweep, and the contrast from 0.4 to
 * 1.5.
 */
export function* fitChevron(
  swept: ArrayLike<number>,
  durations: ArrayLike<number>,
  populations: ArrayLike<number>,
  axis: 'frequency' | 'amplitude' = 'frequency',
): Steps<ChevronFit> {
  const columns = swept.length
  const isFrequency = axis === 'frequency'
  const power = isFrequency ? 1 : 2
  const x = axisOf({ name: axis, unit: isFrequency ? 'Hz' : '' }, swept)
  const y = axisOf({ name: 'duration', unit: 's' }, durations)
  const fit = yield* fitCurve<ChevronNames>({
    ...mapData('chevron', x, y, populations),
    parameters: isFrequency ? 5 : 6,
    curve() {
      const times = extentOf(durations)
      const scaled = Float64Array.from(swept, (value) => value ** power)
      const extent = extentOf(scaled)
      const positions = scaled.map((value) => (value - extent.middle) / extent.span)
      const phases = Float64Array.from(durations, (time) => time / times.span)
      const rates = exchangesFor(times, EXCHANGE_RATIO[axis])
      const centers = isFrequency
        ? stepGrid(-0.5, 0.5, Math.max(CENTER_STEP / extent.span, 0.02))
        : linearGrid(-0.5, 0.5, 17)
      const slopes = isFrequency
        ? [extent.span * times.span]
        : START_SLOPES.map((slope) => 2 * slope * times.span)
      const starts = pairs(centers, rates)
      return {
        linear: 2,
        stride: STRIDE,
        candidates: slopes.flatMap((slope) =>
          starts.map(([center, rate]) => [center, Math.log(rate), START_DECAY, slope]),
        ),
        lower: [
          -1,
          -5,
          0.1,
          (isFrequency ? 1 : 0.1) * (slopes[0] ?? 0),
          ...Array(2).fill(Number.NEGATIVE_INFINITY),
        ],
        upper: [
          1,
          6,
          1e3,
          (isFrequency ? 1 : 10) * (slopes.at(-1) ?? 0),
          ...Array(2).fill(Number.POSITIVE_INFINITY),
        ],
        basis([center = 0, logRate = 0, decay = 1, slope = 1]) {
          const swing = (2 * Math.exp(logRate)) ** 2
          return (at, out) => {
            const time = phases[Math.floor(at / columns)] as number
            const detuning = slope * ((positions[at % columns] as number) - center)
            const frequency = Math.sqrt(swing + detuning * detuning)
            const wave = Math.exp(-time / decay) * Math.cos(2 * Math.PI * frequency * time)
            out[0] = 1
            out[1] = ((-swing / (frequency * frequency)) * (1 - wave)) / 2
          }
        },
      }
    },
    describe([center = 0, logRate = 0, decay = 0, slope = 0, , contrast = 0]) {
      const times = extentOf(durations)
      const extent = extentOf(Array.from(swept, (value) => value ** power))
      return {
        center: (extent.middle + extent.span * center) ** (1 / power),
        exchange: Math.exp(logRate) / times.span,
        contrast,
        decay: decay * times.span,
        slope: isFrequency ? 1 : slope / (extent.span * times.span),
      }
    },
    keys: [{ name: 'center', scale: () => extentOf(swept).span, swept }, { name: 'exchange' }],
  })
  if (!fit.ok) return fit
  const { value: contrast } = fit.values.contrast
  if (contrast > MIN_CONTRAST && contrast < MAX_CONTRAST) return fit
  return rejectFit(
    'no_signal',
    `The chevron has a contrast of ${contrast.toFixed(2)}; needed are ${MIN_CONTRAST} to ${MAX_CONTRAST}`,
    fit,
  )
}

/** Rates from a quarter of a swing in all durations to one in three steps, in cycles over the durations. */
function exchangesFor({ span, step }: { span: number; step: number }, ratio: number): number[] {
  const [least, most] = [0.125, span / step / 6]
  return logGrid(least, most, Math.ceil(Math.log(most / least) / Math.log(ratio)) + 1)
}

type CrossingNames = 'crossing' | 'slope'

/**
 * Fits a straight line to the conditional phase (rad) over a detuning and finds where it is π. Phases are
 * taken modulo 2π around π. The crossing has to lie inside the sweep.
 */
export function* fitPhaseCrossing(
  detunings: ArrayLike<number>,
  phases: ArrayLike<number>,
  x: Label = { name: 'detuning', unit: 'Hz' },
): Steps<EstimateFit<CrossingNames>> {
  const turn = 2 * Math.PI
  const distances = Float64Array.from(phases, (phase) => phase - turn * Math.floor(phase / turn) - Math.PI)
  const y = axisOf({ name: 'phase from π', unit: 'rad' }, distances)
  return yield* fitCurve<CrossingNames>({
    ...lineData('cz_phase', axisOf(x, detunings), y),
    parameters: 2,
    curve() {
      const { middle, span } = extentOf(detunings)
      return {
        linear: 2,
        candidates: [[]],
        basis: () => (at, out) => {
          out[0] = 1
          out[1] = ((detunings[at] as number) - middle) / span
        },
      }
    },
    describe([offset = 0, slope = 0]) {
      const { middle, span } = extentOf(detunings)
      return { crossing: middle - (span * offset) / slope, slope: slope / span }
    },
    keys: [{ name: 'crossing', scale: () => extentOf(detunings).span, swept: detunings }],
  })
}

type ReturnNames = 'duration' | 'least' | 'contrast'

/** Durations at which the search for the full return starts, per gate and sweep. */
const STARTS = 25

/**
 * Fits the population that `gates` gates in a row leave outside the computational states over the duration t
 * of one (s), least + contrast · sin²(π · gates · (t/duration − 1)): at `duration` each gate returns fully.
 * That has to lie inside the sweep, of which other full returns of the whole row are not part.
 */
export function* fitFullReturn(
  durations: ArrayLike<number>,
  leaked: ArrayLike<number>,
  gates: number,
): Steps<EstimateFit<ReturnNames>> {
  return yield* fitCurve<ReturnNames>({
    ...lineData(
      'cz_return',
      axisOf({ name: 'duration', unit: 's' }, durations),
      axisOf({ name: 'leakage', unit: '' }, leaked),
    ),
    parameters: 3,
    curve() {
      const { min, max, middle } = extentOf(durations)
      return {
        linear: 2,
        candidates: linearGrid(min, max, STARTS).map((start) => [start / middle]),
        lower: [min / middle, Number.NEGATIVE_INFINITY, 0],
        upper: [max / middle, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
        basis:
          ([full = 1]) =>
          (at, out) => {
            const turns = (durations[at] as number) / (middle * full) - 1
            out[0] = 1
            out[1] = Math.sin(Math.PI * gates * turns) ** 2
          },
      }
    },
    describe([full = 0, least = 0, contrast = 0]) {
      return { duration: extentOf(durations).middle * full, least, contrast }
    },
    keys: [{ name: 'duration', scale: () => extentOf(durations).span, swept: durations }],
  })
}
