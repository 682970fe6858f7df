import { type JobPayload, needsDiscriminators } from '../../protocol/index.ts'
import { createRng, EXACT_READOUT, type ResultBudget, Tally } from '../../simulator/index.ts'
import type { IqArrays } from '../bench/instrument.ts'
import type { LineAssignment } from '../chip/provenance/provenance.ts'
import type { CalibratedChip } from '../compiler/schedule/calibrated-chip.ts'
import type { Reading } from '../compiler/schedule/schedule-circuit.ts'
import type { Acquisition } from '../pulse/schedule.ts'
import { memoryOf } from '../simulation/simulate-job.ts'
import { bitOf, discriminatorOf } from './discriminator.ts'
import type { ResultBits } from './result-bits.ts'

/** What a circuit yields: counts, and what the job asked to keep of each shot. */
interface Outcomes {
  counts?: Record<string, number>
  /** Whether they are left out because they are too large beside packed memory. */
  countsOmitted?: boolean
  memory?: unknown
}

type Point = [re: number, im: number]

interface Recorded {
  payload: JobPayload
  bits: ResultBits
  shots: number
  readings: readonly Reading[]
  /** When each of them is taken, in the same order. */
  acquisitions: readonly Acquisition[]
  /** For each reading, the signal of every shot, or of every nanosecond at level 0. */
  signals: readonly IqArrays[]
  budget: ResultBudget
}

/** Length of a point in a result, in characters. */
const POINT_LENGTH = 44

/**
 * The bits of every shot, by the discriminator of each qubit; an instrument without a chip yields zeros.
 * @throws SimulationError `results_too_large`.
 */
export function bitsOutcomes(recorded: Recorded, chip: CalibratedChip, isDummy: boolean): Outcomes {
  const { payload, bits, shots, readings, acquisitions, signals, budget } = recorded
  const tally = new Tally({
    clbits: bits.held.length,
    shots,
    measured: [],
    terminal: [],
    rng: createRng(0),
    stream: 0,
    resultBudget: budget,
    readout: { readoutErrorOf: () => EXACT_READOUT, memory: memoryOf(payload) },
  })
  const discriminators = readings.map(({ qubit }, index) =>
    discriminatorOf(qubit, chip, payload, readBeside(acquisitions, index)),
  )
  const outcomes = new Uint8Array(bits.outcomes)
  for (let shot = 0; shot < shots; shot++) {
    for (const [index, { clbit }] of readings.entries()) {
      const [discriminator, signal] = [discriminators[index], signals[index]]
      if (clbit < 0 || !discriminator || !signal) continue
      outcomes[clbit] = isDummy ? 0 : bitOf(discriminator, signal, shot)
    }
    tally.add(bits.bitsOf(outcomes), [shot])
  }
  const memory = tally.memory()
  const counts = tally.counts()
  return { ...(counts ? { counts } : { countsOmitted: true }), ...(memory !== undefined && { memory }) }
}

/** The qubits that are read while another one is. */
function readBeside(acquisitions: readonly Acquisition[], index: number): string[] {
  const own = acquisitions[index]
  if (!own) return []
  const { at, duration, qubit } = own
  const beside = acquisitions.filter(
    (other) => other.qubit !== qubit && other.at < at + duration && at < other.at + other.duration,
  )
  return [...new Set(beside.map((other) => other.qubit))]
}

/**
 * The assignment matrix of the readout of each bit, null for one that nothing measures; undefined where one
 * of them is not known, or the job has a discriminator of its own.
 */
export function readoutAssignment(
  bits: ResultBits,
  readings: readonly Reading[],
  payload: JobPayload,
  chip: CalibratedChip,
): (readonly (readonly number[])[] | null)[] | undefined {
  if (!needsDiscriminators(payload)) return undefined
  const found = placesOf(bits, readings).map((place) => {
    const qubit = readings[place]?.qubit
    return qubit === undefined ? null : chip.assignmentOf(qubit)
  })
  return found.every((matrix) => matrix !== undefined) ? found : undefined
}

/**
 * The lines of which a job measures two or more qubits, by the places of their bits. A qubit that it does not
 * measure is taken as 0 and its outcome as of no matter.
 */
export function linesOfBits(
  bits: ResultBits,
  readings: readonly Reading[],
  lines: readonly LineAssignment[],
): { bits: number[]; assignment: number[][] }[] {
  const measured = placesOf(bits, readings).map((place) => readings[place]?.qubit)
  return lines.flatMap(({ qubits, matrix }) => {
    const places = qubits.map((qubit) => measured.indexOf(qubit))
    const own = places.flatMap((place, at) => (place >= 0 ? [at] : []))
    if (own.length < 2) return []
    const spread = (state: number) => own.reduce((sum, at, bit) => sum | (((state >> bit) & 1) << at), 0)
    const gather = (outcome: number) => own.reduce((sum, at, bit) => sum | (((outcome >> at) & 1) << bit), 0)
    const reduced = Array.from({ length: 2 ** own.length }, (_, state) => {
      const row = Array.from({ length: 2 ** own.length }, () => 0)
      for (const [outcome, share] of (matrix[spread(state)] ?? []).entries())
        row[gather(outcome)] = (row[gather(outcome)] ?? 0) + share
      return row
    })
    return [{ bits: own.map((at) => places[at] ?? 0), assignment: reduced }]
  })
}

/** The signal of every shot and bit, `[shots][bits][re, im]`, or their mean, `[bits][re, im]`. */
export function pointOutcomes({ payload, bits, shots, readings, signals, budget }: Recorded): Outcomes {
  const isMean = payload.meas_return === 'avg'
  budget.spend((isMean ? 1 : shots) * bits.held.length * POINT_LENGTH)
  const place = placesOf(bits, readings)
  if (isMean) return { memory: place.map((index) => meanOf(signals[index])) }
  const pointAt = (signal: IqArrays | undefined, shot: number): Point => [
    signal?.i[shot] ?? 0,
    signal?.q[shot] ?? 0,
  ]
  const memory = Array.from({ length: shots }, (_, shot) =>
    place.map((index) => pointAt(signals[index], shot)),
  )
  return { memory }
}

/** The mean trace of every bit, `[bits][samples][re, im]`; empty for a bit that nothing measures. */
export function traceOutcomes({ bits, readings, signals, budget }: Recorded): Outcomes {
  const place = placesOf(bits, readings)
  const memory = place.map((index) => {
    const signal = signals[index]
    budget.spend((signal?.i.length ?? 0) * POINT_LENGTH)
    return Array.from(signal?.i ?? [], (re, at): Point => [re, signal?.q[at] ?? 0])
  })
  return { memory }
}

/** The reading of each classical bit; -1 for none. */
function placesOf({ held }: ResultBits, readings: readonly Reading[]): number[] {
  return held.map((outcome) =>
    outcome < 0 ? -1 : readings.findLastIndex((reading) => reading.clbit === outcome),
  )
}

function meanOf(signal: IqArrays | undefined): Point {
  if (!signal) return [0, 0]
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length
  return [mean(signal.i), mean(signal.q)]
}
