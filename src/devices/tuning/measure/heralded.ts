import { MEDIAN_TO_SIGMA, medianOf } from '../../../base/index.ts'
import { type ComplexSeries, joinSeries } from '../../fitting/complex-series.ts'
import { UnsetValueError } from '../../pulse/builder.ts'
import { PROGRAM_LIMITS } from '../../pulse/check-program.ts'
import { later, partsOfPort, type Schedule } from '../../pulse/schedule.ts'
import type { HeraldStart, Heralds, ReadingCloud } from '../herald.ts'
import { acquire, type Measurement, type RoutineContext, RoutineError } from '../routine.ts'
import { onGrid } from './accept.ts'

/** Waits for a full reset from which on shots begin with a reading instead, ns. */
export const LONG_WAIT_NS = 2e6
/**
 * The readings by which shots begin, in order of preference. Before the best readout is found, that of the
 * largest magnitude may tell the levels apart with more power only; what it excites is measured.
 */
const READINGS = [
  { point: 'measure_2state', power: 1 },
  { point: 'measure', power: 1 },
  { point: 'measure', power: 2 },
  { point: 'measure', power: 4 },
] as const
/** A schedule that is longer, in units of the wait, would take as long with all shots that are dropped. */
const MAX_DURATION_IN_WAITS = 1 / 6
/** Of more qubits, hardly a shot begins with all in 0. */
const MAX_QUBITS = 2
/** Shots of each level with a full wait, by which a reading is judged, and of the test of what it keeps. */
const CLOUD_SHOTS = 120
const TEST_SHOTS = 10_000
/** A shot is kept when its reading is that close to the middle of level 0, in standard deviations. */
const MAX_RADIUS = 2
/** What is kept has at least this distance from the middle of any other level: 0.26 % of one reach as far. */
const FAR = 2.8
const MIN_DISTANCE = FAR + 0.8
/** Largest share of kept shots that are excited all the same: what a wait of four T1 leaves. */
const MAX_EXCITED = 0.02
/** Photons in a resonator fall by e² in 2 / (2π linewidth); e¹⁰ are enough. Without a linewidth, s. */
const RING_DOWN = 10 / (2 * Math.PI)
const DEFAULT_RING_DOWN_S = 5e-6
/** The tones of other qubits shift readings: what is judged is played as it is used, without them. */
const ALONE = { isAlone: true }
/** Fewer kept shots may be none at one of many points. */
const MIN_KEPT = 30
/** Bins of an acquisition memory. */
const MAX_BINS = 131_072
/** A pulse that is closer to f12 than this may leave level 2, Hz. */
const NEAR_F12 = 50e6

/**
 * How far the share of kept shots may be from that of the test before the readings of a start count as moved:
 * for what the quarter turns are off, and in standard errors. A turn to level 2 finds 0 of each qubit in 1/3
 * of the shots of the test, and in 1/4 to 1/2 of others.
 */
const SAME_SHARE = 0.2
const SIGMAS = 5
const SHARES_OF_3_LEVELS = { least: 3 / 4, most: 3 / 2 } as const

/**
 * Measures single shots that begin with a reading which finds their qubits in 0, instead of a long wait: a
 * quarter turn makes both outcomes equally likely whatever the shot before has left, so that nothing of it is
 * remembered, and only shots with a reading close to those of 0 are kept. How far others are excited all the
 * same is measured, and equal at each point.
 * @param shots that are kept, about
 * @returns `[point][acquisition]`; undefined where a full wait is better, or the readings are not good enough
 */
export function* heraldedShots(
  context: RoutineContext,
  points: readonly Schedule[],
  { shots, waitNs }: { shots: number; waitNs: number },
): Measurement<ComplexSeries[][] | undefined> {
  for (;;) {
    const begun = yield* startOf(context, points, waitNs)
    if (!begun) return undefined
    const { start, key, isRecalled } = begun
    const { found, raw } = yield* shotsFrom(start, points, shots)
    const counts = found.map(([first]) => first?.re.length ?? 0)
    const all = counts.reduce((sum, count) => sum + count, 0)
    if (isRecalled && !isAsJudged(start, all, raw * points.length)) {
      context.heralds?.forget(key)
      continue
    }
    const empty = counts.indexOf(0)
    if (empty < 0) return found
    throw new RoutineError(
      'no_signal',
      `no shot of point ${empty + 1} of ${points.length} is kept: none of ${raw} readings is close to those of 0 of ${start.qubits.join(', ')}, where ${(100 * start.kept).toPrecision(2)} % were`,
    )
  }
}

/** About as many kept shots as wanted, in programs within the limit; `raw` were taken of each point. */
function* shotsFrom(
  start: HeraldStart,
  points: readonly Schedule[],
  shots: number,
): Measurement<{ found: ComplexSeries[][]; raw: number }> {
  const wanted = Math.ceil(Math.max(MIN_KEPT, shots) / start.kept)
  const rounds = Math.ceil(wanted / PROGRAM_LIMITS.shots)
  const each = Math.ceil(wanted / rounds)
  const size = Math.max(1, Math.floor(MAX_BINS / (2 * each)))
  const found: ComplexSeries[][] = []
  for (let from = 0; from < points.length; from += size) {
    const part = points.slice(from, from + size).map((point) => joined(start.head, point))
    const kept: ComplexSeries[][][] = []
    for (let round = 0; round < rounds; round++) kept.push(yield* keptOf(start, part, each))
    const [first = [], ...others] = kept
    const joinRounds = (point: ComplexSeries[], at: number) =>
      point.map((series, acquisition) =>
        joinSeries([series, ...others.flatMap((other) => other[at]?.[acquisition] ?? [])]),
      )
    found.push(...(rounds === 1 ? first : first.map(joinRounds)))
  }
  return { found, raw: rounds * each }
}

/** Whether as many shots are kept as when the readings of a start were judged. */
function isAsJudged({ kept, visits2 }: HeraldStart, count: number, of: number): boolean {
  const { least, most } = visits2 ? SHARES_OF_3_LEVELS : { least: 1, most: 1 }
  const spread = SIGMAS * Math.sqrt(of * kept)
  return (
    count > (1 - SAME_SHARE) * least * kept * of - spread &&
    count < (1 + SAME_SHARE) * most * kept * of + spread
  )
}

/** The shots of programs that begin with the readings of a start, without those that it drops. */
function* keptOf(
  { qubits, clouds, ringDownNs }: Pick<HeraldStart, 'qubits' | 'clouds' | 'ringDownNs'>,
  points: readonly Schedule[],
  shots: number,
): Measurement<ComplexSeries[][]> {
  const results = yield* acquire({ kind: 'shots', shots, reset_ns: ringDownNs, points }, ALONE)
  return results.map((point) => {
    const kept: number[] = []
    for (let shot = 0; shot < shots; shot++) {
      const isKept = clouds.every((cloud, at) => isWithin(cloud, 0, point[at], shot))
      if (isKept) kept.push(shot)
    }
    const only = (values: Float64Array | undefined) => kept.map((shot) => values?.[shot] ?? Number.NaN)
    return point.slice(qubits.length).map(({ i, q }) => ({ re: only(i), im: only(q) }))
  })
}

function radiusOf({ distance }: ReadingCloud): number {
  return Math.min(MAX_RADIUS, distance - FAR)
}

function isWithin(
  cloud: ReadingCloud,
  level: number,
  series: { i: Float64Array; q: Float64Array } | undefined,
  shot: number,
): boolean {
  const [re, im] = cloud.middles[level] ?? [Number.NaN, Number.NaN]
  const [x, y] = [(series?.i[shot] ?? Number.NaN) - re, (series?.q[shot] ?? Number.NaN) - im]
  return Math.hypot(x, y) < radiusOf(cloud) * cloud.sigma
}

function* startOf(
  context: RoutineContext,
  points: readonly Schedule[],
  waitNs: number,
): Measurement<{ start: HeraldStart; key: string; isRecalled: boolean } | undefined> {
  const { heralds } = context
  const mean = points.reduce((sum, { duration }) => sum + duration / points.length, 0)
  if (!heralds || waitNs < LONG_WAIT_NS || mean > MAX_DURATION_IN_WAITS * waitNs) return undefined
  const played = playedBy(context, points)
  if (!played) return undefined
  const refusals: Refusal[] = []
  for (const reading of READINGS) {
    const draft = draftOf(context, played, reading)
    if (!draft) return undefined
    const key = JSON.stringify([draft, waitNs])
    const known = heralds.recall(key)
    const start = known ? known.start : yield* judged(heralds, draft, waitNs, refusals)
    if (!known) heralds.keep(key, start)
    if (!start) continue
    // What each kept shot takes, with those that are dropped for it.
    const takenNs = (mean + start.head.duration + start.ringDownNs) / start.kept
    return takenNs < mean + waitNs ? { start, key, isRecalled: known !== undefined } : undefined
  }
  for (const { qubit, refusal } of refusals) heralds.note(qubit, { refusal })
  return undefined
}

/** Why a reading of a qubit begins no shots. */
interface Refusal {
  readonly qubit: string
  readonly refusal: string
}

/** The qubits of points, how long the windows of each are, and whether its level 2 may be populated. */
type Played = ReadonlyMap<string, { readonly windowNs: number | undefined; readonly visits2: boolean }>

/** Undefined for points that cannot begin with a reading. */
function playedBy(context: RoutineContext, points: readonly Schedule[]): Played | undefined {
  const pulses = points.flatMap((point) => point.pulses)
  const hasGates = pulses.some(({ port }) => partsOfPort(port).kind === 'fl')
  const played = pulses.flatMap(({ port, frequency }) => {
    const { element, kind } = partsOfPort(port)
    return kind === 'fl' ? [] : [{ qubit: element, frequency, isDrive: kind === 'mw' }]
  })
  // An end of a gate that is not driven is in 1 now and then, for as long as it takes to relax: many shots.
  const ends = hasGates ? [context.parent.name, context.child.name] : []
  const qubits = new Set([...ends, ...played.map(({ qubit }) => qubit)])
  if (qubits.size > MAX_QUBITS) return undefined
  const found = new Map<string, { windowNs: number | undefined; visits2: boolean }>()
  for (const qubit of qubits) {
    const windows = points.map(({ acquisitions }) => acquisitions.filter((each) => each.qubit === qubit))
    // A sequencer integrates over windows of one length.
    const lengths = new Set(windows.flat().map(({ duration }) => duration))
    if (lengths.size > 1 || windows.some((own) => own.length > 1)) return undefined
    const f12 = context.element(qubit).optional('clock_freqs.f12') ?? Number.NaN
    const isNear = (each: (typeof played)[number]) =>
      each.qubit === qubit && each.isDrive && Math.abs(each.frequency - f12) < NEAR_F12
    found.set(qubit, { windowNs: [...lengths][0], visits2: hasGates || played.some(isNear) })
  }
  return found
}

/** A start before it is judged. */
interface Draft {
  readonly qubits: readonly string[]
  readonly ringDownNs: number
  readonly head: Schedule
  /** A reading of each level. */
  readonly levels: readonly Schedule[]
  /** Number of levels of each qubit that its readings distinguish. */
  readonly counts: readonly number[]
}

/** Undefined where a qubit has no calibrated pulses or readout. */
function draftOf(
  context: RoutineContext,
  played: Played,
  { point, power }: (typeof READINGS)[number],
): Draft | undefined {
  const qubits = [...played.keys()]
  // Of both ends of a gate, the upper one is moved to level 2.
  const f01Of = (qubit: string) => context.element(qubit).optional('clock_freqs.f01') ?? 0
  const highest = Math.max(...qubits.map(f01Of))
  const counts = qubits.map((qubit) => {
    const { visits2 = false } = played.get(qubit) ?? {}
    return visits2 && (qubits.length === 1 || f01Of(qubit) === highest) ? 3 : 2
  })
  if (!qubits.every((qubit, at) => hasPulses(context, qubit, counts[at] ?? 2))) return undefined
  const widths = qubits.map((qubit) => context.element(qubit).optional('resonator.linewidth'))
  const ringDowns = widths.map((width) => (width ? RING_DOWN / width : DEFAULT_RING_DOWN_S))
  const ringDown = onGrid(Math.max(...ringDowns))
  const readingAfter = (schedule: ReturnType<RoutineContext['schedule']>) => {
    schedule.barrier(...qubits)
    for (const qubit of qubits) {
      const { windowNs } = played.get(qubit) ?? {}
      const amplitude = power * (context.element(qubit).optional('measure.pulse_amp') ?? Number.NaN)
      schedule.measure(qubit, {
        point,
        ...(windowNs !== undefined && { window: windowNs * 1e-9 }),
        ...(power > 1 && { amplitude: Math.min(1, amplitude) }),
      })
    }
    return schedule.barrier(...qubits)
  }
  try {
    const mixed = context.schedule()
    for (const [at, qubit] of qubits.entries()) {
      // What is in level 2 would stay there for hundreds of shots.
      if (counts[at] === 3) mixed.rotate12(qubit, Math.PI / 2)
      mixed.rotate(qubit, Math.PI / 2)
    }
    const head = readingAfter(mixed)
    for (const qubit of qubits) head.delay(qubit, ringDown)
    const levels = Array.from({ length: Math.max(...counts) }, (_, level) => {
      const schedule = context.schedule()
      for (const [at, qubit] of qubits.entries()) {
        if (level > 0) schedule.rotate(qubit, Math.PI)
        if (level > 1 && counts[at] === 3) schedule.rotate12(qubit, Math.PI)
      }
      return readingAfter(schedule).build()
    })
    return { qubits, counts, levels, head: head.build(), ringDownNs: Math.round(ringDown * 1e9) }
  } catch (error) {
    if (error instanceof UnsetValueError) return undefined
    throw error
  }
}

function hasPulses(context: RoutineContext, qubit: string, levels: number): boolean {
  const element = context.element(qubit)
  const paths = ['rxy.amp180', 'clock_freqs.f01', ...(levels > 2 ? ['r12.ef_amp180', 'clock_freqs.f12'] : [])]
  return paths.every((path) => (element.optional(path) ?? 0) > 0)
}

/** A start whose readings distinguish the levels; without one, the reason is added to the refusals. */
function* judged(
  heralds: Heralds,
  draft: Draft,
  waitNs: number,
  refusals: Refusal[],
): Measurement<HeraldStart | undefined> {
  const { qubits, counts, levels, ringDownNs, head } = draft
  try {
    const program = { kind: 'shots' as const, shots: CLOUD_SHOTS, reset_ns: waitNs, points: levels }
    const readings = yield* acquire(program, ALONE)
    const clouds = qubits.map((_, at) =>
      cloudOf(readings.slice(0, counts[at]).map((point) => point[at] ?? NOTHING)),
    )
    const close = clouds.findIndex(({ distance }) => !(distance >= MIN_DISTANCE))
    if (close >= 0) {
      const refusal = `${clouds[close]?.distance.toPrecision(2)} standard deviations of a reading tell 0 from another level, needed are ${MIN_DISTANCE.toPrecision(2)}`
      refusals.push({ qubit: qubits[close] ?? '', refusal })
      return undefined
    }
    const again = joined(head, levels[0] ?? head)
    const [tested = []] = yield* keptOf({ qubits, clouds, ringDownNs }, [again], TEST_SHOTS)
    const excited = clouds.map((cloud, at) => excitedOf(cloud, tested[at] ?? NO_SHOTS))
    for (const [at, share] of excited.entries()) {
      const qubit = qubits[at] ?? ''
      if (isFew(share)) heralds.note(qubit, { excited: share })
      else
        refusals.push({
          qubit,
          refusal: `${(100 * share).toPrecision(2)} % of the shots that a reading finds in 0 are excited`,
        })
    }
    const kept = (tested[0]?.re.length ?? 0) / TEST_SHOTS
    const visits2 = counts.includes(3)
    return excited.every(isFew) ? { head, qubits, ringDownNs, clouds, kept, visits2 } : undefined
  } catch (error) {
    if (!(error instanceof RoutineError) || error.code !== 'not_playable') throw error
    refusals.push(...qubits.map((qubit) => ({ qubit, refusal: error.message })))
    return undefined
  }
}

function isFew(excited: number): boolean {
  return excited <= MAX_EXCITED
}

const NO_SHOTS: ComplexSeries = { re: [], im: [] }
const NOTHING = { i: new Float64Array(), q: new Float64Array() }

/** The readings of a qubit by its level; few of them are in another one, which no median sees. */
function cloudOf(readings: readonly { i: Float64Array; q: Float64Array }[]): ReadingCloud {
  const middles = readings.map(({ i, q }) => [medianOf(i), medianOf(q)] as const)
  const [[re, im] = [Number.NaN, Number.NaN], ...others] = middles
  const { i, q } = readings[0] ?? NOTHING
  const deviations = [...i.map((value) => Math.abs(value - re)), ...q.map((value) => Math.abs(value - im))]
  const sigma = MEDIAN_TO_SIGMA * medianOf(deviations)
  const distances = others.map(([x, y]) => Math.hypot(x - re, y - im) / sigma)
  return { middles, sigma, distance: Math.min(...distances) }
}

/** The share of readings that are as close to another level as those of that are mostly. */
function excitedOf(cloud: ReadingCloud, { re, im }: ComplexSeries): number {
  const series = { i: Float64Array.from(re), q: Float64Array.from(im) }
  const others = cloud.middles.map((_, level) => level).slice(1)
  const isExcited = (_: number, shot: number) => others.some((level) => isWithin(cloud, level, series, shot))
  const share = Array.from(re).filter(isExcited).length / re.length
  return share / (1 - Math.exp(-(radiusOf(cloud) ** 2) / 2))
}

/** A schedule after another one. */
function joined(first: Schedule, second: Schedule): Schedule {
  const { duration, pulses, acquisitions } = later(second, first.duration)
  return {
    duration,
    pulses: [...first.pulses, ...pulses],
    acquisitions: [...first.acquisitions, ...acquisitions],
  }
}
