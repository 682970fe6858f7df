import type { Complex } from '../../../src/devices/bench/instrument.ts'
import type { SimulatedChip } from '../../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth, QubitTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { sampleEnvelope } from '../../../src/devices/pulse/envelope.ts'
import type { Acquisition, Pulse, Schedule } from '../../../src/devices/pulse/schedule.ts'

const signal = new AbortController().signal
export const PI_NS = 56

export function qubitOf(truth: ChipTruth, name: string): QubitTruth {
  const qubit = truth.qubits[name]
  if (!qubit) throw new Error(`no qubit ${name}`)
  return qubit
}

/** Amplitude of a π pulse of this duration on a line without compression. */
export function piAmplitude({ rabi }: QubitTruth, duration = PI_NS): number {
  const area = sampleEnvelope({ shape: 'gaussian', motzoi: 0 }, duration).i.reduce(
    (sum, each) => sum + each,
    0,
  )
  return 1 / (2 * rabi * area * 1e-9)
}

/** A Gaussian pulse on resonance that turns by `turn` in units of π. */
export function rotation(truth: ChipTruth, name: string, at: number, turn = 1, phase = 0): Pulse {
  const qubit = qubitOf(truth, name)
  const motzoi = truth.hand / (4 * Math.PI * qubit.anharmonicity * (PI_NS / 8) * 1e-9) / qubit.quadrature
  return {
    at,
    duration: PI_NS,
    port: `${name}:mw`,
    frequency: qubit.f01,
    phase,
    amplitude: turn * piAmplitude(qubit),
    envelope: { shape: 'gaussian', motzoi },
  }
}

interface Readout {
  frequency?: number
  amplitude?: number
  /** Start of the window after that of the pulse, and its length, ns. */
  from?: number
  length?: number
}

/** The pulse and the window that read a qubit from `at` on. */
export function readout(
  truth: ChipTruth,
  name: string,
  at: number,
  { frequency, amplitude, from = 300, length = 2500 }: Readout = {},
): { pulse: Pulse; window: Acquisition } {
  const { readout: line } = qubitOf(truth, name)
  const carrier = frequency ?? line.frequency + (line.pulls[0] ?? 0) / 2
  const pulse: Pulse = {
    at,
    duration: from + length,
    port: `${name}:res`,
    frequency: carrier,
    phase: 0,
    amplitude: amplitude ?? 0.3 * line.critical_amplitude,
    envelope: { shape: 'square' },
  }
  return {
    pulse,
    window: { at: at + from, duration: length, port: `${name}:res`, frequency: carrier, qubit: name },
  }
}

/** Pulses, then the readout of some qubits. */
export function measured(
  truth: ChipTruth,
  pulses: readonly Pulse[],
  at: number,
  names: readonly string[] = ['q0'],
  options: Readout = {},
): Schedule {
  const readouts = names.map((name) => readout(truth, name, at, options))
  const end = Math.max(...readouts.map(({ window }) => window.at + window.duration))
  return {
    duration: end + 500,
    pulses: [...pulses, ...readouts.map(({ pulse }) => pulse)],
    acquisitions: readouts.map(({ window }) => window),
  }
}

export const SHOTS = 1000
const RESET_NS = 100_000_000

export function average(chip: SimulatedChip, points: readonly Schedule[], shots = SHOTS) {
  return chip.run({ kind: 'average', shots, reset_ns: RESET_NS, points }, signal)
}

export function shots(chip: SimulatedChip, points: readonly Schedule[], count = SHOTS) {
  return chip.run({ kind: 'shots', shots: count, reset_ns: RESET_NS, points }, signal)
}

export function trace(chip: SimulatedChip, points: readonly Schedule[], count = SHOTS) {
  return chip.run({ kind: 'trace', shots: count, reset_ns: RESET_NS, points }, signal)
}

/** Place of a value between two references: 0 and 1. */
export function project(value: Complex, zero: Complex, one: Complex): number {
  const [re, im] = [one.re - zero.re, one.im - zero.im]
  return ((value.re - zero.re) * re + (value.im - zero.im) * im) / (re * re + im * im)
}

/** Population of 1 of a qubit after each sequence, by references with the qubit in 0 and in 1. */
export async function populations(
  chip: SimulatedChip,
  truth: ChipTruth,
  sequences: readonly { pulses: readonly Pulse[]; end: number }[],
  name = 'q0',
): Promise<number[]> {
  const references = [
    measured(truth, [], 0, [name]),
    measured(truth, [rotation(truth, name, 0)], PI_NS, [name]),
  ]
  const points = sequences.map(({ pulses, end }) => measured(truth, pulses, end, [name]))
  const [zero, one, ...values] = await average(chip, [...references, ...points])
  const at = (point: typeof zero) => point?.[0] ?? { re: 0, im: 0 }
  return values.map((point) => project(at(point), at(zero), at(one)))
}
