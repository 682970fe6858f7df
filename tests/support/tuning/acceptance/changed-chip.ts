import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import type { ChipEvent, ChipTruth } from '../../../../src/devices/bench/simulated/truth/chip-truth.ts'
import { TRUTH_FILE } from '../../../../src/devices/bench/simulated/truth/store.ts'
import { createRng } from '../../../../src/devices/index.ts'
import type { CalibrationFindings } from '../../../../src/protocol/index.ts'
import type { FakeClock } from '../../fake-clock.ts'
import { DEVICE_FILE, openBench, type TunerBench } from './cold-run.ts'

/** A change of a number of a chip. */
export interface ChipChange {
  /** Qubit or edge. */
  target: string
  /** Dotted path in the truth. */
  field: string
  by: number
}

/** A chip that was calibrated and waits in its folder. */
export interface CalibratedChip {
  folder: string
  truth: ChipTruth
  clock: FakeClock
  findings: CalibrationFindings
}

/** Calibrates a cold chip, on which nothing drifts. */
export async function calibrateCold(
  folder: string,
  deviceFile: string,
  seed: number,
): Promise<CalibratedChip> {
  const truth = await drawStill(folder, deviceFile, seed)
  const bench = await openBench({ folder, seed })
  const findings = await bench.calibrate()
  const { status, errors = [] } = findings
  if (status === 'failed')
    throw new Error(`the chip of seed ${seed} was not calibrated: ${errors.join('\n')}`)
  return { folder, truth, clock: bench.clock, findings }
}

/** Draws a cold chip on which nothing drifts, and returns what its folder says of it. */
export async function drawStill(folder: string, deviceFile: string, seed: number): Promise<ChipTruth> {
  const drawn = await openBench({ folder, deviceFile, seed })
  const truth: ChipTruth = { ...drawn.truth, drift: false }
  for (const qubit of Object.values(truth.qubits)) delete qubit.switching
  writeTruth(folder, truth)
  return truth
}

/**
 * Draws a cold chip of wider ranges than those of the product: T1 between 5 µs and 5 ms, which make errors of
 * pulses and CZ gates of about 1e-5 to 2e-2 and 1e-4 to 5e-2; T2 between 0.3 and 2 T1, T2* between 0.3 and
 * 0.9 T2. No defect shortens T1.
 */
export async function drawWide(folder: string, deviceFile: string, seed: number): Promise<void> {
  const { truth } = await openBench({ folder, deviceFile, seed })
  const rng = createRng(seed)
  for (const [at, qubit] of Object.values(truth.qubits).entries()) {
    rng.seek(at, 0)
    qubit.t1 = 5e-6 * 1_000 ** rng.next()
    qubit.t2_echo = 2 * qubit.t1 * (0.15 + 0.85 * rng.next())
    qubit.t2_star = qubit.t2_echo * (0.3 + 0.6 * rng.next())
    delete qubit.defect
  }
  writeTruth(folder, truth)
}

/** Draws a cold chip of very good qubits, whose frequencies do not switch: T1 of 3 ms. */
export async function drawLongLived(folder: string, deviceFile: string, seed: number): Promise<void> {
  const { truth } = await openBench({ folder, deviceFile, seed })
  for (const qubit of Object.values(truth.qubits)) {
    Object.assign(qubit, { t1: 3e-3, t2_echo: 2e-3, t2_star: 0.2e-3 })
    delete qubit.defect
    delete qubit.switching
  }
  writeTruth(folder, truth)
}

/** Opens a copy of a calibrated chip with events that happen now. */
export function openChanged(
  { folder, truth, clock }: CalibratedChip,
  copy: string,
  events: readonly WithoutTime<ChipEvent>[],
  options: Partial<Parameters<typeof openBench>[0]> = {},
): Promise<TunerBench> {
  cpSync(folder, copy, { recursive: true })
  const at = new Date(clock.now()).toISOString()
  writeTruth(copy, { ...truth, events: events.map((event) => ({ ...event, at }) as ChipEvent) })
  return openBench({ ...{ folder: copy, seed: truth.seed, clock }, ...options })
}

type WithoutTime<Event> = Event extends { at: string } ? Omit<Event, 'at'> : never

function writeTruth(folder: string, truth: ChipTruth): void {
  writeFileSync(join(folder, TRUTH_FILE), stringify(truth))
}

/** The value that a change is relative to. */
export function numberAt(truth: ChipTruth, target: string, field: string): number {
  const element: unknown = truth.qubits[target] ?? truth.edges[target]
  const value = field.split('.').reduce((place, key) => (place as Record<string, unknown>)[key], element)
  if (typeof value !== 'number') throw new Error(`${target} has no number ${field}`)
  return value
}

/** The lines of each element of the device file of a folder. */
export function elementTexts(folder: string): Map<string, string> {
  const text = readFileSync(join(folder, DEVICE_FILE), 'utf8')
  const names = Object.keys(parse(text))
  const starts = names.map((name) => text.search(new RegExp(`^${name}:`, 'm')))
  return new Map(names.map((name, at) => [name, text.slice(starts[at], starts[at + 1])]))
}
