import { DRAW, Draws } from '../random.ts'
import type { ChipEvent, ChipTruth, EdgeTruth, QubitTruth } from './chip-truth.ts'
import { DRIFT_MODELS, type Drift, T1_DIP } from './drift.ts'

/** The truth at one time: drawn values with events and drift. */
export interface TruthNow {
  qubits: Record<string, QubitTruth>
  edges: Record<string, EdgeTruth>
  /** Distance of the resonance of the gates from that of their transmons, Hz. */
  gateOffsets: Record<string, number>
  /** Edges whose coupler does not respond. */
  stuck: ReadonlySet<string>
  /** Above its critical temperature there is no chip. */
  isWarm: boolean
}

/** Spread of the values after a thermal cycle. */
const REDRAW = { f01: 5e6, readout: 0.1e6, t1: 0.2, offset: 20e-6 } as const

/** The truth `t` seconds after the epoch. */
export function truthAt(truth: ChipTruth, drift: Drift, t: number): TruthNow {
  const qubits = structuredClone(truth.qubits)
  const edges = structuredClone(truth.edges)
  const now: TruthNow = { qubits, edges, gateOffsets: {}, stuck: new Set(), isWarm: false }
  if (truth.drift) addDrift(now, drift, t)
  const epoch = Date.parse(truth.epoch)
  const past = truth.events
    .filter(({ at }) => (Date.parse(at) - epoch) / 1000 <= t)
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
  const draws = new Draws(truth.seed)
  for (const [index, event] of past.entries()) applyEvent(now, event, { draws, index, epoch, t })
  if (truth.drift) addSwitching(now, drift, t)
  return now
}

function addDrift({ qubits, edges, gateOffsets }: TruthNow, drift: Drift, t: number): void {
  for (const [name, qubit] of Object.entries(qubits)) {
    qubit.f01 += drift.at(name, 'f01', t, DRIFT_MODELS.f01)
    qubit.rabi *= 1 + drift.at(name, 'rabi', t, DRIFT_MODELS.rabi)
    qubit.t1 *= Math.exp(drift.at(name, 't1', t, DRIFT_MODELS.t1))
    if (drift.isHit(name, 't1_dip', t, T1_DIP.perDay)) qubit.t1 *= T1_DIP.factor
    qubit.readout.frequency += drift.at(name, 'readout', t, DRIFT_MODELS.readout)
    qubit.readout.phase += drift.at(name, 'readout_phase', t, DRIFT_MODELS.readoutPhase)
  }
  for (const [name, edge] of Object.entries(edges)) {
    edge.offset += drift.at(name, 'offset', t, DRIFT_MODELS.couplerOffset)
    gateOffsets[name] = drift.at(name, 'gate', t, DRIFT_MODELS.gateResonance)
  }
}

/** Slow switching moves the frequency; fast switching stays for the dynamics to average. */
function addSwitching({ qubits }: TruthNow, drift: Drift, t: number): void {
  for (const [name, qubit] of Object.entries(qubits)) {
    if (!qubit.switching || qubit.switching.dwell < MIN_SLOW_DWELL_S) continue
    if (drift.isSwitched(name, t, qubit.switching.dwell)) qubit.f01 += qubit.switching.shift
    qubit.switching = undefined
  }
}

/** A value that stays for less changes within the measurement of a point, s. */
const MIN_SLOW_DWELL_S = 10

interface EventContext {
  draws: Draws
  /** Place among the past events. */
  index: number
  /** ms */
  epoch: number
  t: number
}

function applyEvent(now: TruthNow, event: ChipEvent, context: EventContext): void {
  if (event.kind === 'step') step(now, event.target, event.field, event.by)
  if (event.kind === 'thermal_cycle') cycle(now, event, context)
  if (event.kind === 'dead') kill(now, event.target, event.part)
  if (event.kind === 'same_frequency') {
    const [qubit, other] = [now.qubits[event.target], now.qubits[event.as]]
    if (qubit && other) qubit.f01 = other.f01
  }
}

/** Changes a value by its dotted path, such as `readout.frequency`. */
function step({ qubits, edges }: TruthNow, target: string, field: string, by: number): void {
  let place: unknown = qubits[target] ?? edges[target]
  const path = field.split('.')
  const last = path.pop() ?? ''
  for (const key of path) place = isFields(place) ? place[key] : undefined
  if (!isFields(place) || typeof place[last] !== 'number') {
    throw new RangeError(`events: ${target} has no number called ${field}`)
  }
  place[last] += by
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function cycle(now: TruthNow, event: { at: string; hours: number }, context: EventContext): void {
  const { draws, index, epoch, t } = context
  const end = (Date.parse(event.at) - epoch) / 1000 + event.hours * 3600
  now.isWarm ||= t < end
  for (const [name, qubit] of Object.entries(now.qubits)) {
    const rng = draws.at(DRAW.redraw, name, index)
    qubit.f01 += REDRAW.f01 * rng.normal()
    qubit.readout.frequency += REDRAW.readout * rng.normal()
    qubit.t1 *= Math.exp(REDRAW.t1 * rng.normal())
    qubit.readout.phase += 2 * Math.PI * rng.next()
  }
  for (const [name, edge] of Object.entries(now.edges))
    edge.offset += REDRAW.offset * draws.at(DRAW.redraw, name, index).normal()
}

function kill(now: TruthNow, target: string, part: 'resonator' | 'drive' | 'coupler'): void {
  const qubit = now.qubits[target]
  if (qubit && part === 'resonator') qubit.readout.depth = 0
  if (qubit && part === 'drive') qubit.rabi = 0
  if (part === 'coupler') now.stuck = new Set([...now.stuck, target])
}
