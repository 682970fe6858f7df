import { clusterPortsOf } from '../../../src/devices/bench/cluster/plan/cluster-ports.ts'
import { compileProgram } from '../../../src/devices/bench/sequencer/compile/compile-program.ts'
import type { Ports } from '../../../src/devices/bench/sequencer/compile/compiled-run.ts'
import type { Sequence } from '../../../src/devices/bench/sequencer/sequence.ts'
import { sampleEnvelope } from '../../../src/devices/pulse/envelope.ts'
import type { PortName, Program, Pulse, Schedule } from '../../../src/devices/pulse/schedule.ts'
import { checkSequence } from '../sequencer/language/check-sequence.ts'
import { eventsOf, render } from '../sequencer/render.ts'
import { FIVE_QUBITS } from './five-qubits.ts'

/** Wait before each shot: long enough to be one, short enough to render, ns. */
const RESET_NS = 400
const SHOTS = 2
/** From the synchronization to the first reset, ns. */
const LEAD_NS = 4

/** How the sequences of a schedule differ from it. */
export interface Differences {
  /** Largest difference of a sample, of full scale. */
  sample: number
  problems: string[]
}

/** Plays a schedule in the emulator, sequence by sequence, and compares all samples, ends and bins. */
export function differencesOf(schedule: Schedule, { hardware } = FIVE_QUBITS): Differences {
  const program: Program = { kind: 'shots', shots: SHOTS, reset_ns: RESET_NS, points: [schedule] }
  const ports = clusterPortsOf(hardware, program)
  const problems: string[] = []
  const ends = new Set<number>()
  let sample = 0
  for (const run of compileProgram(program, ports)) {
    for (const [port, { sequence }] of run.ports) {
      problems.push(...checkSequence(sequence, ports.memory(port)).map((problem) => `${port}: ${problem}`))
      ends.add(eventsOf(sequence).end)
      problems.push(...binProblems(sequence, schedule, port))
      sample = Math.max(sample, largestDifference(sequence, schedule, port, ports))
    }
  }
  if (ends.size > 1) problems.push(`the sequencers end at ${[...ends].join(', ')} ns`)
  return { sample, problems }
}

function startOf(shot: number, { duration }: Schedule): number {
  return LEAD_NS + RESET_NS + shot * (RESET_NS + duration)
}

function largestDifference(sequence: Sequence, schedule: Schedule, port: PortName, ports: Ports): number {
  const { i, q } = render(sequence)
  const wanted = { i: new Float64Array(i.length), q: new Float64Array(q.length) }
  const pulses = schedule.pulses.filter((pulse) => pulse.port === port)
  for (let shot = 0; shot < SHOTS; shot++) {
    for (const pulse of pulses) addPulse(wanted, pulse, ports, startOf(shot, schedule) + pulse.at)
  }
  let largest = 0
  for (let t = 0; t < i.length; t++) {
    const differences = [(i[t] ?? 0) - (wanted.i[t] ?? 0), (q[t] ?? 0) - (wanted.q[t] ?? 0)]
    largest = Math.max(largest, ...differences.map(Math.abs))
  }
  return largest
}

function addPulse(to: { i: Float64Array; q: Float64Array }, pulse: Pulse, ports: Ports, start: number): void {
  const hz = ports.ncoHz(pulse.port, pulse.frequency)
  const envelope = sampleEnvelope(pulse.envelope, pulse.duration)
  for (let t = 0; t < pulse.duration; t++) {
    const [i, q] = [envelope.i[t] ?? 0, envelope.q[t] ?? 0]
    const angle = (2 * Math.PI * hz * (pulse.at + t)) / 1e9 + pulse.phase
    const [cos, sin] = [pulse.amplitude * Math.cos(angle), pulse.amplitude * Math.sin(angle)]
    to.i[start + t] = i * cos - q * sin
    to.q[start + t] = i * sin + q * cos
  }
}

/** Every bin is written once, at the time of its acquisition. */
function binProblems(sequence: Sequence, schedule: Schedule, port: PortName): string[] {
  const windows = schedule.acquisitions.filter((each) => each.port === port).map(({ at }) => at)
  windows.sort((one, other) => one - other)
  const wanted = Array.from({ length: SHOTS }, (_, shot) =>
    windows.map((at, index) => `bin ${shot * windows.length + index} at ${startOf(shot, schedule) + at} ns`),
  ).flat()
  const found = eventsOf(sequence).events.flatMap((event) =>
    event.kind === 'acquire' ? [`bin ${event.bin} at ${event.t} ns`] : [],
  )
  return Bun.deepEquals(found, wanted) ? [] : [`${port}: ${found.join(', ')} instead of ${wanted.join(', ')}`]
}
