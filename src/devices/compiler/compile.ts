import type { Circuit } from '../../qasm/index.ts'
import { JobError } from '../errors.ts'
import type { Schedule } from '../pulse/schedule.ts'
import { toNative } from './decompose/native.ts'
import { levelOf, type OptimizationLevel, type PlacementRequest, planPlacement, stepsOf } from './levels.ts'
import type { RoutedCircuit } from './route/route.ts'
import type { CalibratedChip } from './schedule/calibrated-chip.ts'
import type { Decoupling } from './schedule/decouple.ts'
import {
  pulseNsOf,
  type Reading,
  type ReadoutPoint,
  type ScheduleOptions,
  scheduleCircuit,
} from './schedule/schedule-circuit.ts'
import { playedOps } from './schedule/start-times.ts'
import { toOpenQasm } from './to-openqasm.ts'

/** How a circuit was placed on the chip, for the metadata of its result. */
interface RoutingReport {
  /** `none`, `placement` (other qubits, no SWAP) or `sabre`. */
  method: string
  swaps: number
  /** Qubit of the chip at the start and at the end, by qubit of the circuit; null for an unused one. */
  initial: (string | null)[]
  final: (string | null)[]
}

/** How a job wants its circuits. */
interface CompileOptions extends ScheduleOptions {
  /** See `levelOf`. */
  level?: OptimizationLevel | undefined
}

/** A circuit ready to be played. */
export interface CompiledCircuit {
  schedule: Schedule
  /** What each acquisition of the schedule measures. */
  readings: readonly Reading[]
  /** Wait before each shot, ns. */
  resetNs: number
  routing: RoutingReport
  /** CZ gates and pulses on drive lines. */
  gates: { cz: number; pulses: number }
  /** What to check about the result. */
  warnings: readonly string[]
  /** What was played in the waits of qubits; undefined where nothing was asked for. */
  decoupling: Decoupling | undefined
  /** The level at which it was compiled. */
  level: OptimizationLevel
  /** What is played, in OpenQASM 3 with physical qubits. */
  program: string
}

/**
 * Compiles a circuit to a schedule of pulses: decomposition by matrix, optimization and routing, one pulse
 * for all that a qubit does between two CZ (at level 0, for each gate), and timing in whole nanoseconds.
 * @param device name for messages
 * @throws JobError for a circuit that the chip cannot run.
 */
export function compileCircuit(
  device: string,
  circuit: Circuit,
  chip: CalibratedChip,
  point: ReadoutPoint,
  { level, ...timing }: CompileOptions = {},
): CompiledCircuit {
  const wanted = circuit.ops ?? circuit.computed?.ops
  if (!wanted) {
    const text = `classically controlled gates are not supported by ${device}`
    throw new JobError(text, { errorCode: 'unsupported_gate' })
  }
  const { qubits, clbits, computed } = circuit
  const fixed = physicalQubits(circuit)
  const used = levelOf(level, fixed.size)
  const steps = stepsOf(wanted, used)
  const routed = placeOn(chip, { steps, qubits, fixed }, used)
  const ops = playedOps(toNative(routed.steps, (qubit) => pulseNsOf(qubit, chip)))
  const nameOf = (at: number) => (at < 0 ? null : (chip.qubits[at] ?? null))
  const scheduled = scheduleCircuit(ops, chip, point, timing)
  return {
    ...scheduled,
    routing: {
      method: routed.method,
      swaps: routed.swaps,
      initial: Array.from(routed.initial, nameOf),
      final: Array.from(routed.final, nameOf),
    },
    gates: {
      cz: ops.filter(({ kind }) => kind === 'cz').length,
      pulses: ops.filter(({ kind }) => kind === 'rotate').length + (scheduled.decoupling?.pulses ?? 0),
    },
    level: used,
    program: toOpenQasm(ops, computed?.measurements ?? clbits),
  }
}

/**
 * Places a circuit on the parts of a chip that meet the condition of its job.
 * @throws JobError `below_quality`, of class `device`, when only other parts make it possible: the job may
 *   wait until they meet it. Otherwise as `placeOnCalibrated`.
 */
function placeOn(
  chip: CalibratedChip,
  request: Omit<PlacementRequest, 'coupling'>,
  level: OptimizationLevel,
): RoutedCircuit {
  const { belowQuality } = chip
  try {
    return placeOnCalibrated(chip, request, level)
  } catch (error) {
    if (!(error instanceof JobError) || !belowQuality) throw error
    // The search is left out: that it is possible is enough.
    planOnCalibrated({ ...chip, ...belowQuality.whole }, request, level)
    const message = `the circuit needs parts of the chip that do not meet the condition of the job: ${partsOf(chip, request, belowQuality.reasons)}`
    throw new JobError(message, { class: 'device', errorCode: 'below_quality', cause: error })
  }
}

/**
 * Places a circuit on the part of a chip that may be used, or if it cannot do without the rest and may use
 * it, on the whole chip.
 * @throws JobError `not_calibrated`, of class `device`, when only parts that are left out make it possible:
 *   the job may wait until they are calibrated. Otherwise as `place`.
 */
function placeOnCalibrated(
  chip: CalibratedChip,
  request: Omit<PlacementRequest, 'coupling'>,
  level: OptimizationLevel,
): RoutedCircuit {
  return planOnCalibrated(chip, request, level)()
}

/** The search of `placeOnCalibrated`, for a circuit that the chip can run. @throws as that. */
function planOnCalibrated(
  chip: CalibratedChip,
  request: Omit<PlacementRequest, 'coupling'>,
  level: OptimizationLevel,
): () => RoutedCircuit {
  const { coupling, leftOut } = chip
  try {
    return planPlacement({ ...request, coupling }, level)
  } catch (error) {
    if (!(error instanceof JobError) || !leftOut) throw error
    const onWholeChip = planPlacement({ ...request, coupling: leftOut.coupling }, level)
    if (leftOut.isAllowed) return onWholeChip
    const message = `the circuit needs parts of the chip that are not calibrated: ${partsOf(chip, request, leftOut.reasons)}`
    throw new JobError(message, { class: 'device', errorCode: 'not_calibrated', cause: error })
  }
}

/** The parts that a circuit names among those left out, or else all of these, with why. */
function partsOf(
  { qubits }: CalibratedChip,
  { fixed }: Omit<PlacementRequest, 'coupling'>,
  reasons: ReadonlyMap<string, string>,
): string {
  const names = new Set([...fixed.values()].map((at) => qubits[at] ?? ''))
  const named = [...reasons].filter(([name]) => names.has(name))
  return (named.length > 0 ? named : [...reasons]).map(([name, why]) => `${name} (${why})`).join('; ')
}

/** The qubits `$0`, `$1`, … of a circuit, which come after those of its registers, and their places. */
function physicalQubits({ qubits, qregs }: Circuit): Map<number, number> {
  const count = qregs.find(([name]) => name === '$')?.[1] ?? 0
  return new Map(Array.from({ length: count }, (_, index) => [qubits - count + index, index]))
}
