import type { AcquisitionKind } from '../../../pulse/schedule.ts'
import type { AcquisitionOf, Complex, IqArrays } from '../../instrument.ts'
import { LEVELS } from '../dynamics/matrix.ts'
import { DRAW } from '../random.ts'
import type { Jump } from '../readout/pointers.ts'
import { multiply } from '../readout/response.ts'
import type { Found, RecordOptions } from './found.ts'
import type { Reading } from './readings.ts'

/** A register of a point ready to be recorded. */
export interface Recordable {
  readings: Reading[]
  found: Found
  /** What the draws of this register depend on, beside the seed. */
  content: string
}

/** The signal of a reading before noise: one value, or one a shot or a nanosecond. */
type Signal = IqArrays
/** The signals of all readings of a point: resonators of a line see each other's. */
export type Signals = Map<Reading, Signal>

/**
 * Draws the levels of a register, and adds the signals of its readings: one per step, because thousands of
 * shots take tens of milliseconds. Yields the number of its values.
 */
export function* addSignals(
  kind: AcquisitionKind,
  register: Recordable,
  options: RecordOptions,
  signals: Signals,
): Generator<number, void, undefined> {
  for (const reading of register.readings) {
    const signal = SIGNALS[kind](reading, register, options)
    signals.set(reading, signal)
    yield signal.i.length
  }
}

/** Records the readings of a register, one per step, at their places in the point. Yields as `addSignals`. */
export function* recordRegister<Kind extends AcquisitionKind>(
  kind: Kind,
  register: Recordable,
  options: RecordOptions,
  signals: Signals,
  results: AcquisitionOf[Kind][],
): Generator<number, void, undefined> {
  for (const reading of register.readings) {
    const signal = withCrosstalk(reading, signals)
    turn(signal, reading.factor)
    if (options.hasNoise) addNoise(kind, signal, reading, register, options)
    results[reading.index] = RESULTS[kind](signal)
    yield signal.i.length
  }
}

const SIGNALS: Record<
  AcquisitionKind,
  (reading: Reading, register: Recordable, options: RecordOptions) => Signal
> = {
  average(reading, { found, content }, options) {
    return single(found.shares(reading, content, options), (level) => reading.pointers.means[level])
  },
  shots(reading, { found, content }, options) {
    const { shots, draws } = options
    const levels = found.levels(reading, content, options)
    const rng = draws.at(DRAW.jumps, content, reading.place, reading.acquisition.qubit)
    const signal = emptySignal(shots)
    const { pointers } = reading
    const still = Array.from({ length: LEVELS }, (_, level) => pointers.signal(level))
    for (let shot = 0; shot < shots; shot++) {
      const level = levels[shot] ?? 0
      const jump: Jump | undefined = pointers.jump(level, rng.next(), rng.next())
      const value = jump ? pointers.signal(level, jump) : still[level]
      signal.i[shot] = value?.re ?? 0
      signal.q[shot] = value?.im ?? 0
    }
    return signal
  },
  trace(reading, { found }) {
    const shares = found.expected(reading)
    const signal = emptySignal(reading.acquisition.duration)
    for (let index = 0; index < signal.i.length; index++) {
      const { i, q } = single(shares, (level) => reading.pointers.sample(level, index))
      signal.i[index] = i[0] ?? 0
      signal.q[index] = q[0] ?? 0
    }
    return signal
  },
}

const RESULTS: { [Kind in AcquisitionKind]: (signal: Signal) => AcquisitionOf[Kind] } = {
  average: ({ i, q }) => ({ re: i[0] ?? 0, im: q[0] ?? 0 }),
  shots: (signal) => signal,
  trace: (signal) => signal,
}

function emptySignal(length: number): Signal {
  return { i: new Float64Array(length), q: new Float64Array(length) }
}

function single(shares: Float64Array, signalOf: (level: number) => Complex | undefined): Signal {
  const signal = emptySignal(1)
  for (let level = 0; level < LEVELS; level++) {
    const value = signalOf(level)
    const share = shares[level] ?? 0
    signal.i[0] = (signal.i[0] ?? 0) + share * (value?.re ?? 0)
    signal.q[0] = (signal.q[0] ?? 0) + share * (value?.im ?? 0)
  }
  return signal
}

/** Adds what leaks over from other resonators of the line that are read at the same time. */
function withCrosstalk(reading: Reading, signals: ReadonlyMap<Reading, Signal>): Signal {
  const own = signals.get(reading) ?? emptySignal(0)
  const sum = { i: own.i.slice(), q: own.q.slice() }
  const { crosstalk, line, gain } = reading.resonator
  if (crosstalk === 0) return sum
  for (const [other, signal] of signals) {
    if (other === reading || other.resonator.line !== line || !overlap(reading, other)) continue
    const share = (crosstalk * gain) / other.resonator.gain
    for (let k = 0; k < Math.min(sum.i.length, signal.i.length); k++) {
      sum.i[k] = (sum.i[k] ?? 0) + share * (signal.i[k] ?? 0)
      sum.q[k] = (sum.q[k] ?? 0) + share * (signal.q[k] ?? 0)
    }
  }
  return sum
}

function overlap({ acquisition: one }: Reading, { acquisition: other }: Reading): boolean {
  return one.at < other.at + other.duration && other.at < one.at + one.duration
}

function turn(signal: Signal, factor: Complex): void {
  for (let k = 0; k < signal.i.length; k++) {
    const { re, im } = multiply({ re: signal.i[k] ?? 0, im: signal.q[k] ?? 0 }, factor)
    signal.i[k] = re
    signal.q[k] = im
  }
}

function addNoise(
  kind: AcquisitionKind,
  signal: Signal,
  { acquisition, place, pointers }: Reading,
  { content }: Recordable,
  { shots, draws }: RecordOptions,
): void {
  const rng = draws.at(DRAW.noise, content, acquisition.qubit, place)
  const perShot = kind === 'trace' ? pointers.sampleNoise : pointers.noise
  const deviation = kind === 'shots' ? perShot : perShot / Math.sqrt(shots)
  for (let k = 0; k < signal.i.length; k++) {
    signal.i[k] = (signal.i[k] ?? 0) + deviation * rng.normal()
    signal.q[k] = (signal.q[k] ?? 0) + deviation * rng.normal()
  }
}
