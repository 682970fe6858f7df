import { DEVICE_FEATURES, type DeviceDescription, JOB_LIMITS } from '../../protocol/index.ts'
import type { Chip } from '../chip/device-file.ts'
import type { Element, Qubit } from '../chip/elements/element.ts'
import type { Hardware } from '../chip/hardware/hardware-file.ts'
import type { Provenance } from '../chip/provenance/provenance.ts'
import { qualityOf } from '../chip/quality.ts'
import {
  staleValuesOf,
  type UncalibratedValue,
  uncalibratedOf,
  unusableValuesOf,
} from '../chip/uncalibrated.ts'
import { calibratedChipOf, canPlayCz } from '../compiler/schedule/calibrated-chip.ts'
import { describeTiming } from '../noise/describe-chip.ts'
import { timingOf } from '../noise/noise-of-device-file.ts'
import { PROGRAM_LIMITS } from '../pulse/check-program.ts'

const ABSENT: ReadonlySet<string> = new Set(['feedback', 'exact', 'single_precision'])
const FEATURES = DEVICE_FEATURES.filter((feature) => !ABSENT.has(feature))

interface DescribedScheduler {
  chip: Chip
  /** What limits the gates that can be played. */
  hardware: Hardware | undefined
  provenance: Provenance
  backend: string
  /** Identifies the content of the device file. */
  deviceConfig: string
}

/**
 * The qubits and gates of a chip as its device file has them; every gate compiles to these. What is not
 * calibrated keeps its number and is not operational; with a dummy, everything is. The side file of the
 * device file says when they were calibrated, and what a check has found stale since. Errors of gates are
 * those of calibration reports.
 */
export function describeScheduler({
  chip,
  hardware,
  provenance,
  backend,
  deviceConfig,
}: DescribedScheduler): DeviceDescription {
  const isDummy = backend === 'dummy'
  const { usable } = calibratedChipOf(chip, hardware, isDummy ? 'any' : 'playable').coupling
  const missingOf = (element: Element) =>
    isDummy ? [] : [...uncalibratedOf(element), ...unusableValuesOf(element, provenance)]
  const staleOf = (element: Element) => {
    const stale = isDummy ? [] : staleValuesOf(element, provenance)
    return stale.length === 0 ? {} : { stale }
  }
  const pulses = chip.qubits.map((qubit, index) => ({
    qubits: [index],
    duration_s: qubit.get('rxy.duration'),
  }))
  const indexOf = (name: string) => chip.qubits.findIndex((qubit) => qubit.name === name)
  const gates = chip.edges
    .filter((edge) => isDummy || missingOf(edge).length > 0 || canPlayCz(edge, chip, hardware))
    .map((edge) => ({
      qubits: [indexOf(edge.parent), indexOf(edge.child)],
      duration_s: edge.get('cz.square_duration'),
      ...qualityOf(edge, provenance),
      ...stateOf(missingOf(edge)),
      ...staleOf(edge),
    }))
  const elements: readonly Element[] = [...chip.qubits, ...chip.edges]
  const calibrated = elements
    .flatMap((element) => qualityOf(element, provenance).calibrated_at ?? [])
    .sort()
    .at(-1)
  return {
    schema: 1,
    qubits: chip.qubits.map((qubit, index) => ({
      ...describeQubit(qubit),
      ...readoutOf(qubit, provenance),
      ...lineOf(qubit, chip, provenance),
      ...(usable?.has(index) === false ? { operational: false } : stateOf(missingOf(qubit))),
      ...staleOf(qubit),
    })),
    gates: [
      { name: 'rz', params: ['phi'], virtual: true },
      { name: 'sx', on: pulses },
      { name: 'x', on: pulses },
      ...(gates.length > 0 ? [{ name: 'cz', on: gates }] : []),
    ],
    ...describeTiming(timingOf(chip)),
    features: FEATURES,
    limits: {
      shots: JOB_LIMITS.shots,
      executions: JOB_LIMITS.executions,
      qubits: chip.qubits.length,
      schedule_s: PROGRAM_LIMITS.durationNs * 1e-9,
      acquisitions: PROGRAM_LIMITS.acquisitions,
      pulses: PROGRAM_LIMITS.pulses,
      result_bytes: JOB_LIMITS.resultBytes,
      // Others take as long as they calculate.
      ...(backend === 'cluster' && { shot_s: shortestReset(chip) }),
    },
    simulator: backend !== 'cluster',
    ...(calibrated !== undefined && { calibrated_at: calibrated }),
    device_config: deviceConfig,
  }
}

function shortestReset({ qubits }: Chip): number {
  return Math.min(...qubits.map((qubit) => Math.max(0, qubit.get('reset.duration') ?? 0)))
}

/** The state of a part of the chip that lacks these values. */
function stateOf(missing: readonly UncalibratedValue[]) {
  return missing.length === 0 ? {} : { operational: false, uncalibrated: [...missing] }
}

/** The quality of a qubit, with its assignment matrix where that is known to hold. */
function readoutOf(qubit: Qubit, provenance: Provenance) {
  const quality = qualityOf(qubit, provenance)
  const assignment = qubit.get('measure_2state.assignment')
  return {
    ...quality,
    ...(assignment &&
      quality.readout_error !== undefined && { readout_assignment: assignment.map((row) => [...row]) }),
  }
}

/** How the line of which a qubit is the first is read together, where that is known. */
function lineOf(qubit: Qubit, chip: Chip, provenance: Provenance) {
  const line = provenance.lineOf(qubit, (name) => chip.element(name))
  if (!line) return {}
  const numbers = line.qubits.map((name) => chip.qubits.findIndex((each) => each.name === name))
  return { readout_line: { qubits: numbers, assignment: line.matrix.map((row) => [...row]) } }
}

function describeQubit(qubit: Qubit) {
  return {
    name: qubit.name,
    ...positive('t1_s', qubit.get('coherence.t1')),
    ...positive('t2_s', qubit.get('coherence.t2_echo')),
    ...positive('frequency_hz', qubit.get('clock_freqs.f01')),
  }
}

function positive(key: string, value: number | undefined): Record<string, number> {
  return value !== undefined && value > 0 ? { [key]: value } : {}
}
