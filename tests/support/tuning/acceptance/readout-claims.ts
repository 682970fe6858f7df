import type { Transmon } from '../../../../src/devices/bench/simulated/dynamics/transmon.ts'
import type { Resonator } from '../../../../src/devices/bench/simulated/state/conditions.ts'
import { resetOf, settlingT1 } from '../../../../src/devices/tuning/measure/references.ts'
import { transmonOf } from './qubit-claims.ts'
import {
  amplitudeOfShift,
  bestFidelity,
  fidelityAt,
  lineOf,
  type ReadoutPoint,
  scoreAt,
  type TrueDiscriminator,
  trueDiscriminator,
} from './readout-truth.ts'
import { type Claim, claim, foundAt, relativeClaim, type Taken } from './taken.ts'

const TOLERANCE = {
  /** In line widths. */
  line: 0.1,
  linewidth: 0.15,
  /** s */
  arrival: 8e-9,
  /** Factor. */
  power: 1.5,
  /** Shares by which the score and the infidelity may miss the best. */
  score: 0.03,
  infidelity: 0.15,
  /** Degrees, and a share of the distance of the clouds. */
  rotation: 3,
  threshold: 0.1,
  fidelity: 0.005,
} as const

/** Where the punchout stands: below the amplitude at which the line has moved by this share of its width. */
const PUNCHOUT = { shift: 0.15, margin: 0.7 } as const

const GRID = { reach: 2, frequencies: 41, from: 0.1, to: 3, amplitudes: 30 } as const

/** What is true of the findings of the routines of a readout, by routine. */
export const READOUT_CLAIMS: Readonly<Record<string, (taken: Taken) => Claim[]>> = {
  resonator_spectroscopy: (taken) => [
    ...lineClaim(taken, 'clock_freqs.readout', 0, taken.self.number('measure.pulse_amp')),
    ...relativeClaim(taken, 'resonator.linewidth', resonatorOf(taken).linewidth, TOLERANCE.linewidth),
  ],
  time_of_flight: (taken) =>
    claim(taken, 'measure.acq_delay', resonatorOf(taken).delay * 1e-9, TOLERANCE.arrival),
  punchout(taken) {
    const resonator = resonatorOf(taken)
    const value = foundAt(taken, 'measure.pulse_amp')
    if (value === undefined) return []
    const truth = PUNCHOUT.margin * amplitudeOfShift(resonator, PUNCHOUT.shift)
    return [
      {
        ...{ path: 'log of measure.pulse_amp', value: Math.log(value), truth: Math.log(truth) },
        tolerance: Math.log(TOLERANCE.power),
      },
      ...lineClaim(taken, 'clock_freqs.readout', 0, value),
    ]
  },
  resonator_spectroscopy_1: (taken) =>
    lineClaim(taken, 'resonator.readout_1', 1, taken.self.number('measure.pulse_amp')),
  resonator_spectroscopy_2: (taken) =>
    lineClaim(taken, 'resonator.readout_2', 2, taken.self.number('measure.pulse_amp')),
  ro_two_state_optimization(taken) {
    const found = {
      frequency: foundAt(taken, 'measure_2state.frequency') ?? Number.NaN,
      amplitude: foundAt(taken, 'measure_2state.pulse_amp') ?? Number.NaN,
    }
    const score = scoreOf(taken, found)
    const tolerance = TOLERANCE.score * bestScore(taken)
    // Above the best of a grid is as good as the best.
    return [{ path: 'score', value: score, truth: Math.max(score, bestScore(taken)), tolerance }]
  },
  ro_duration_optimization(taken) {
    const window = foundAt(taken, 'measure.integration_time')
    if (window === undefined) return []
    const infidelity = (of: number) => 1 - trueAt(taken, { window: of }).fidelity
    const longest = taken.self.number('measure.pulse_duration') + 1e-6
    const windows = Array.from({ length: 40 }, (_, at) => 0.2e-6 * (longest / 0.2e-6) ** (at / 39))
    const best = Math.min(...windows.map(infidelity))
    const value = Math.max(best, infidelity(window))
    return [{ path: 'infidelity', value, truth: best, tolerance: TOLERANCE.infidelity * best }]
  },
  two_state_discrimination(taken) {
    const truth = trueAt(taken)
    const found = {
      rotation: closest(foundAny(taken, 'acq_rotation'), truth.rotation),
      threshold: foundAny(taken, 'acq_threshold'),
    }
    const [resonator, transmon, point] = [resonatorOf(taken), transmonOf(taken), pointOf(taken)]
    return [
      {
        ...{ path: 'acq_rotation', value: found.rotation, truth: truth.rotation },
        tolerance: TOLERANCE.rotation,
      },
      {
        ...{ path: 'acq_threshold', value: found.threshold },
        truth: closestThreshold(resonator, transmon, point, found, truth),
        tolerance: TOLERANCE.threshold * truth.separation,
      },
      {
        ...{ path: 'fidelity', value: fidelityAt(resonator, transmon, point, found) },
        ...{ truth: bestFidelity(resonator, transmon, point), tolerance: TOLERANCE.fidelity },
      },
    ]
  },
  readout_fidelity(taken) {
    const value = taken.finding.benchmark?.fidelity
    if (value === undefined) return []
    const module = taken.self.has('measure_2state.acq_threshold') ? 'measure_2state' : 'measure'
    const stored = {
      rotation: taken.self.number(`${module}.acq_rotation`),
      threshold: taken.self.number(`${module}.acq_threshold`),
    }
    const truth = fidelityAt(resonatorOf(taken), transmonOf(taken), pointOf(taken), stored)
    return [{ path: 'fidelity', value, truth, tolerance: TOLERANCE.fidelity }]
  },
}

function resonatorOf({ chip, target }: Taken): Resonator {
  const resonator = chip.resonators.get(target)
  if (!resonator) throw new Error(`the chip has no resonator ${target}`)
  return resonator
}

function lineClaim(taken: Taken, path: string, level: number, amplitude: number): Claim[] {
  const resonator = resonatorOf(taken)
  return claim(taken, path, lineOf(resonator, level, amplitude), TOLERANCE.line * resonator.linewidth)
}

/** The point of best separation that the routine used. */
function pointOf({ self }: Taken): ReadoutPoint {
  const at = (key: string) => self.optional(`measure_2state.${key}`)
  return {
    frequency: at('frequency') ?? self.number('clock_freqs.readout'),
    amplitude: at('pulse_amp') ?? self.number('measure.pulse_amp'),
    window: at('integration_time') ?? self.number('measure.integration_time'),
    pulse: self.number('measure.pulse_duration'),
    delay: self.optional('measure.acq_delay') ?? 0,
    reset: resetOf(self.optional('reset.duration'), settlingT1(self)),
  }
}

function trueAt(taken: Taken, changes: Partial<ReadoutPoint> = {}) {
  return trueDiscriminator(resonatorOf(taken), transmonOf(taken), { ...pointOf(taken), ...changes })
}

function scoreOf(taken: Taken, changes: Partial<ReadoutPoint>): number {
  return scoreAt(resonatorOf(taken), transmonOf(taken), { ...pointOf(taken), ...changes })
}

/** The best score on a grid around the resonator, in width and in power. */
function bestScore(taken: Taken): number {
  const { linewidth } = resonatorOf(taken)
  const power = taken.self.number('measure.pulse_amp')
  const center = lineOf(resonatorOf(taken), 0, power)
  const scores: number[] = []
  for (let row = 0; row < GRID.frequencies; row++) {
    const frequency = center + GRID.reach * linewidth * ((2 * row) / (GRID.frequencies - 1) - 1)
    for (let column = 0; column < GRID.amplitudes; column++) {
      const factor = GRID.from * (GRID.to / GRID.from) ** (column / (GRID.amplitudes - 1))
      scores.push(scoreOf(taken, { frequency, amplitude: Math.min(1, factor * power) }))
    }
  }
  return Math.max(...scores)
}

/** Loss of fidelity that counts as none, and the steps in which a threshold is moved. */
const PLATEAU = 0.001
const STEPS = 50

/** The threshold closest to a found one that assigns as well as any: far clouds have a wide plateau. */
function closestThreshold(
  resonator: Resonator,
  transmon: Transmon,
  point: ReadoutPoint,
  { rotation, threshold: found }: { rotation: number; threshold: number },
  { threshold: middle, separation }: TrueDiscriminator,
): number {
  const thresholds = Array.from({ length: STEPS + 1 }, (_, at) => middle + separation * (at / STEPS - 0.5))
  const read = thresholds.map((threshold) => ({
    threshold,
    fidelity: fidelityAt(resonator, transmon, point, { rotation, threshold }),
  }))
  const best = Math.max(...read.map(({ fidelity }) => fidelity))
  return read
    .filter(({ fidelity }) => fidelity >= best - PLATEAU)
    .map(({ threshold }) => threshold)
    .reduce((near, each) => (Math.abs(each - found) < Math.abs(near - found) ? each : near))
}

/** The number at a key of `measure_2state`, or of `measure`. */
function foundAny(taken: Taken, key: string): number {
  return foundAt(taken, `measure_2state.${key}`) ?? foundAt(taken, `measure.${key}`) ?? Number.NaN
}

/** The same angle as `angle`, within half a turn of `to`; degrees. */
function closest(angle: number, to: number): number {
  return angle - 360 * Math.round((angle - to) / 360)
}
