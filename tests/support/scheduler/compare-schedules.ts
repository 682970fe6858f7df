import { clusterPortsOf } from '../../../src/devices/bench/cluster/plan/cluster-ports.ts'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { readHardwareFile } from '../../../src/devices/chip/hardware/hardware-file.ts'
import { linesOfChip } from '../../../src/devices/chip/hardware/lines-of-chip.ts'
import { calibratedChipOf } from '../../../src/devices/compiler/schedule/calibrated-chip.ts'
import { type ComparedGate, elementsText, HARDWARE, textOf } from './compared-circuits.ts'
import { compileText } from './five-qubits.ts'
import { numbersOf, type PlayedNumbers, type PlayedSignal, playedSignal } from './played-numbers.ts'

/** Something of each line, by the slot of the module and the frequency of the oscillator in MHz: `2 70`. */
type ByLine<T> = Record<string, T>
export type SignalsByLine = ByLine<PlayedSignal>
export type NumbersByLine = ByLine<PlayedNumbers>

const CHIP = read()

function read() {
  const device = readDeviceFile(elementsText())
  const hardware = readHardwareFile(JSON.stringify(HARDWARE))
  if ('problems' in device || 'problems' in hardware) throw new Error('the compared chip is not valid')
  return { chip: calibratedChipOf(device.chip), hardware: linesOfChip(hardware, device.chip) }
}

export function lineKey(slot: number, hz: number): string {
  return `${slot} ${Math.round(hz / 1e6)}`
}

/** What our sequencers play for a circuit. */
export function ourSignals(gates: readonly ComparedGate[], shots = 1): SignalsByLine {
  const { program, runs } = compileText(textOf(gates), shots, CHIP)
  const ports = clusterPortsOf(CHIP.hardware, program)
  const [schedule] = program.points
  return Object.fromEntries(
    [...(runs[0]?.ports ?? [])].map(([port, { sequence }]) => {
      const frequency = schedule?.pulses.find((pulse) => pulse.port === port)?.frequency ?? 0
      const slot = ports.all.get(port)?.channel.slot ?? 0
      return [lineKey(slot, ports.ncoHz(port, frequency)), playedSignal(sequence)]
    }),
  )
}

/** The lines that play something, as numbers. */
export function numbersByLine(signals: SignalsByLine): NumbersByLine {
  const all = Object.entries(signals).map(([line, signal]) => [line, numbersOf(signal)] as const)
  return Object.fromEntries(all.filter(([, { stretches }]) => stretches.length > 0))
}

/** From the reset of our oscillators to the start of a schedule, from which phases count, ns. */
const PHASE_RESET_NS = 4

/** Turns what a line of ours plays to the phase that theirs counts from. */
function turnOf(line: string): (i: number, q: number) => [number, number] {
  const angle = (2 * Math.PI * Number(line.split(' ')[1]) * PHASE_RESET_NS) / 1e3
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return (i, q) => [i * cos - q * sin, i * sin + q * cos]
}

/** How two lists of numbers differ, times counted from the first acquisition. */
export function compareNumbers(ours: NumbersByLine, theirs: NumbersByLine) {
  const [one, other] = [timesOf(ours), timesOf(theirs)]
  let area = 0
  for (const [line, { stretches }] of Object.entries(theirs)) {
    const turn = turnOf(line)
    for (const [index, [, , i, q]] of stretches.entries()) {
      const [, , a = Number.NaN, b = Number.NaN] = ours[line]?.stretches[index] ?? []
      const [re, im] = turn(a, b)
      const distance = Math.hypot(re - i, im - q)
      area = Math.max(area, Number.isNaN(distance) ? 1 : distance / Math.max(1, Math.hypot(i, q)))
    }
  }
  return { isEqualInTime: Bun.deepEquals(one, other), times: { ours: one, theirs: other }, area }
}

function timesOf(numbers: NumbersByLine) {
  const anchor = Math.min(...Object.values(numbers).flatMap(({ acquisitions }) => acquisitions))
  return Object.fromEntries(
    Object.entries(numbers)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([line, { stretches, acquisitions }]) => [
        line,
        {
          stretches: stretches.map(([at, length]) => [at - anchor, length]),
          acquisitions: acquisitions.map((at) => at - anchor),
        },
      ]),
  )
}

/** What is compared of a shot, ns before and after its first acquisition: less than a reset before it. */
const [BEFORE_NS, AFTER_NS] = [900, 1_900]

/**
 * The largest difference of a sample, of full scale, over all lines and shots. Each shot is aligned at its
 * first acquisition; the shots of both lists may follow each other at another distance.
 */
export function compareSamples(ours: SignalsByLine, theirs: SignalsByLine): number {
  const [our, their] = [anchorsOf(ours), anchorsOf(theirs)]
  if (our.length !== their.length) return Number.POSITIVE_INFINITY
  let largest = 0
  for (const line of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const turn = turnOf(line)
    for (const [shot, anchor] of our.entries()) {
      for (let t = -BEFORE_NS; t < AFTER_NS; t++) {
        const [i, q] = turn(...sampleAt(ours[line], anchor + t))
        const [a, b] = sampleAt(theirs[line], (their[shot] ?? 0) + t)
        largest = Math.max(largest, Math.abs(i - a), Math.abs(q - b))
      }
    }
  }
  return largest
}

function sampleAt(signal: PlayedSignal | undefined, t: number): [number, number] {
  return [signal?.i[t] ?? 0, signal?.q[t] ?? 0]
}

/** The start of the first acquisition of each shot, on whichever line. */
function anchorsOf(signals: SignalsByLine): readonly number[] {
  const reading = Object.values(signals).filter(({ acquisitions }) => acquisitions.length > 0)
  const [first] = reading
  return (first?.acquisitions ?? []).map((_, shot) =>
    Math.min(...reading.map(({ acquisitions }) => acquisitions[shot] ?? Number.NaN)),
  )
}
