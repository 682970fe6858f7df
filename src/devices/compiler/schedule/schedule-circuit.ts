import { type DelayOp, type MeasureOp, nanosecondsOf, secondsOf } from '../../../qasm/index.ts'
import { JobError } from '../../errors.ts'
import { type ElementValues, ScheduleBuilder, UnsetValueError } from '../../pulse/builder.ts'
import { type Pulse, partsOfPort, type Schedule } from '../../pulse/schedule.ts'
import { type NativeOp, qubitsOf } from '../decompose/native.ts'
import type { CalibratedChip } from './calibrated-chip.ts'
import { type Decoupling, type DecouplingSequence, decouple } from './decouple.ts'
import { IdleWindows } from './idle-windows.ts'
import { finalMeasurements, latestStarts, type Scheduling, type TimedOp } from './start-times.ts'

/** Where resonators are read: at the largest magnitude, or where two states are separated best. */
export type ReadoutPoint = 'measure' | 'measure_2state'

/** What an acquisition of a schedule measures. */
export interface Reading {
  qubit: string
  /** The classical bit that takes the outcome, or -1. */
  clbit: number
}

/** A circuit as pulses. */
interface ScheduledCircuit {
  schedule: Schedule
  /** One for each acquisition, in their order. */
  readings: Reading[]
  /** Wait before each shot, in which all used qubits return to their ground state, ns. */
  resetNs: number
  /** Which delays were rounded to the clock of the instruments. */
  warnings: string[]
  /** What was played in the waits of qubits; undefined where nothing was asked for. */
  decoupling: Decoupling | undefined
}

/** Rounded delays that are named. */
const MAX_ROUNDED = 20

/** How a circuit is timed. */
export interface ScheduleOptions {
  /** `alap` unless given. */
  scheduling?: Scheduling | undefined
  /** What qubits play while they wait; nothing unless given. */
  decoupling?: DecouplingSequence | undefined
}

/**
 * Plays every operation as late as those after it allow, or as early as those before it allow. Final
 * measurements start together at the end of all else; a reset within the circuit is a wait.
 * @param ops operations on the qubits of the chip, by index
 * @throws JobError for a value that the device file lacks, and for one whose pulses are beyond full scale.
 */
export function scheduleCircuit(
  ops: readonly NativeOp[],
  chip: CalibratedChip,
  point: ReadoutPoint,
  { scheduling = 'alap', decoupling: sequence }: ScheduleOptions = {},
): ScheduledCircuit {
  const used = new Set(ops.flatMap((op) => (op.kind === 'barrier' ? [] : qubitsOf(op))))
  const write = (starts?: readonly number[]) =>
    writeCircuit(ops, [...used], new CircuitWriter(chip, point), starts)
  let scheduled: Pick<ScheduledCircuit, 'schedule' | 'decoupling'>
  let writer: CircuitWriter
  try {
    const first = write()
    writer = scheduling === 'asap' ? first.writer : write(latestStarts(first.timed)).writer
    const schedule = writer.builder.build()
    scheduled = sequence
      ? decouple(schedule, writer.idle.withoutGatesBeside(neighborsOn(chip)), sequence, chip.values)
      : { schedule, decoupling: undefined }
  } catch (error) {
    throw toJobError(error)
  }
  const resets = [...used].map((qubit) => nsOf(writer.resetOf(qubit)))
  for (const pulse of scheduled.schedule.pulses) assertWithinFullScale(pulse)
  const { readings, rounded } = writer
  return { ...scheduled, readings, resetNs: Math.max(0, ...resets), warnings: [...rounded] }
}

/**
 * Duration of a pulse of a qubit of the chip, ns.
 * @throws JobError when the device file does not have it.
 */
export function pulseNsOf(qubit: number, { qubits, values }: CalibratedChip): number {
  const [name = '', path] = [qubits[qubit], 'rxy.duration']
  const seconds = values.number(name, path)
  if (seconds === undefined) throw toJobError(new UnsetValueError(name, path))
  return nsOf(seconds)
}

/** Where a qubit is read: at `measure` too when no discriminator was found for its two-state point. */
export function readoutPointOf(qubit: string, wanted: ReadoutPoint, values: ElementValues): ReadoutPoint {
  const isFound = ['acq_rotation', 'acq_threshold'].every(
    (key) => values.number(qubit, `measure_2state.${key}`) !== undefined,
  )
  return isFound ? wanted : 'measure'
}

/** Whether two qubits have a coupler between them, calibrated or not. */
function neighborsOn({ qubits, coupling, leftOut }: CalibratedChip) {
  const { edges } = leftOut?.coupling ?? coupling
  const pairs = new Set(edges.flatMap(([a, b]) => [`${qubits[a]} ${qubits[b]}`, `${qubits[b]} ${qubits[a]}`]))
  return (one: string, other: string) => pairs.has(`${one} ${other}`)
}

function byBit(one: MeasureOp, other: MeasureOp): number {
  return one.clbit - other.clbit
}

/**
 * Writes the operations of a circuit, its final measurements last.
 * @param starts of the operations before these measurements, ns; as early as possible unless given
 */
function writeCircuit(
  ops: readonly NativeOp[],
  used: number[],
  writer: CircuitWriter,
  starts?: readonly number[],
): { writer: CircuitWriter; timed: TimedOp[] } {
  const final = finalMeasurements(ops)
  const timed = ops
    .filter((op) => !final.has(op))
    .map((op, index) => ({ op, ns: writer.add(op, starts?.[index]) }))
  if (final.size > 0) writer.add({ kind: 'barrier', qubits: used })
  const last = ops.filter((op) => op.kind === 'measure').filter((op) => final.has(op))
  for (const op of last.sort(byBit)) writer.add(op)
  return { writer, timed }
}

/** Adds operations on qubits given by index to a schedule. */
class CircuitWriter {
  readonly builder: ScheduleBuilder
  readonly readings: Reading[] = []
  /** When qubits wait. */
  readonly idle = new IdleWindows()
  /** Delays that are no whole number of periods of the clock. */
  readonly rounded = new Set<string>()
  readonly #chip: CalibratedChip
  readonly #point: ReadoutPoint
  /** Qubits that are no longer in the state of the start. */
  readonly #touched = new Set<number>()

  constructor(chip: CalibratedChip, point: ReadoutPoint) {
    this.builder = new ScheduleBuilder(chip.values)
    this.#chip = chip
    this.#point = point
  }

  /**
   * Adds an operation, at `start` (ns) or else as soon as its qubits are free.
   * @returns its duration, ns
   */
  add(op: NativeOp, start = 0): number {
    const { builder } = this
    const names = qubitsOf(op).map((qubit) => this.#nameOf(qubit))
    for (const name of names) builder.delay(name, Math.max(0, start - builder.freeAt(name)) * 1e-9)
    const from = Math.max(0, ...names.map((name) => builder.freeAt(name)))
    this.#play(op)
    this.#noteIdle(op, names, from)
    if (op.kind !== 'barrier') for (const qubit of qubitsOf(op)) this.#touched.add(qubit)
    return names.reduce((end, name) => Math.max(end, builder.freeAt(name)), from) - from
  }

  #noteIdle({ kind }: NativeOp, names: readonly string[], from: number): void {
    const { builder, idle } = this
    if (kind === 'cz') idle.playPair(names, from, builder.freeAt(names[0] ?? ''))
    else if (kind === 'barrier') for (const name of names) idle.divide(name, builder.freeAt(name))
    else if (kind === 'reset') for (const name of names) idle.reset(name)
    else if (kind !== 'delay' && kind !== 'rz')
      for (const name of names) idle.play(name, from, builder.freeAt(name))
  }

  /** s */
  resetOf(qubit: number): number {
    return this.#chip.values.number(this.#nameOf(qubit), 'reset.duration') ?? 0
  }

  #play(op: NativeOp): void {
    const { builder } = this
    switch (op.kind) {
      case 'rotate':
        builder.rotate(this.#nameOf(op.qubit), op.theta, op.phi)
        break
      case 'rz':
        builder.rz(this.#nameOf(op.qubit), op.angle)
        break
      case 'cz':
        builder.cz(this.#chip.edgeOf(...op.qubits))
        break
      case 'barrier':
        if (op.qubits.length > 0) builder.barrier(...op.qubits.map((qubit) => this.#nameOf(qubit)))
        break
      case 'delay':
        this.#wait(op)
        break
      case 'measure':
        builder.measure(this.#nameOf(op.qubit), {
          point: readoutPointOf(this.#nameOf(op.qubit), this.#point, this.#chip.values),
        })
        this.readings.push({ qubit: this.#nameOf(op.qubit), clbit: op.clbit })
        break
      case 'reset':
        if (this.#touched.has(op.qubit)) builder.delay(this.#nameOf(op.qubit), this.resetOf(op.qubit))
        break
    }
  }

  /** Waits for the nearest number of periods of the clock: the only place where a time is rounded. */
  #wait(op: DelayOp): void {
    const { ns, isExact } = nanosecondsOf(op)
    if (!isExact && this.rounded.size < MAX_ROUNDED) {
      const asked = Number((secondsOf(op) * 1e9).toPrecision(9))
      this.rounded.add(
        `A delay of ${asked} ns lasts ${ns} ns: the clock of the instruments has a period of 1 ns`,
      )
    }
    for (const qubit of op.qubits) this.builder.delay(this.#nameOf(qubit), ns * 1e-9)
  }

  #nameOf(qubit: number): string {
    return this.#chip.qubits[qubit] ?? ''
  }
}

function nsOf(seconds: number): number {
  return Math.round(seconds * 1e9)
}

/** Where the amplitude of a pulse comes from, by the kind of its port. */
const AMPLITUDES = { mw: 'rxy.amp180', res: 'measure.pulse_amp', fl: 'cz.square_amp' }

/** The device file may have amplitudes that no output plays: other software allows up to 10. */
function assertWithinFullScale({ port, amplitude }: Pulse): void {
  if (amplitude >= 0 && amplitude <= 1) return
  const { element, kind } = partsOfPort(port)
  const problem = `${element}.${AMPLITUDES[kind]} in the device configuration makes a pulse of ${amplitude}`
  throw new JobError(`${problem} of full scale, expected 0 to 1; calibrate with less attenuation`, {
    errorCode: 'not_calibrated',
  })
}

function toJobError(error: unknown): unknown {
  if (!(error instanceof UnsetValueError)) return error
  const message = `${error.element} is not calibrated and cannot be played: ${error.path} is not set in the device configuration`
  return new JobError(message, { errorCode: 'not_calibrated', cause: error })
}
