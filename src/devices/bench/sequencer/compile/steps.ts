import { ProgramError } from '../../../pulse/check-program.ts'
import type { Pulse } from '../../../pulse/schedule.ts'
import { type Instruction, instruction } from '../loops/instruction.ts'
import { DURATION_NS } from '../sequence.ts'
import type { WaveformTable } from './waveform-table.ts'

/** Two steps of a sequencer are at least this far apart, ns. */
const SHORTEST_STEP_NS = DURATION_NS.min

/** Something that a sequencer starts at a time of its schedule. */
export interface Step {
  /** ns from the start of the schedule. */
  at: number
  /** Frequency of the oscillator, Hz, and phase of the carrier at the start of the schedule, rad. */
  tone?: { hz: number; phase: number }
  /** Instructions without a time of their own that take effect at `at`. */
  settings: readonly Instruction[]
  /** The instruction of `at`, without its duration; an acquisition gets its bin later. */
  instruction: Instruction | 'acquire'
}

/** What a step of a pulse needs apart from the pulse. */
interface Surroundings {
  /** Frequency of the oscillator that plays it, Hz. */
  hz: number
  table: WaveformTable
  /** Starts of the acquisitions of the port, ns. */
  acquisitions: readonly number[]
  /** Path of the pulse, for messages. */
  path: string
}

/** Full scale of gains and offsets. */
const FULL_SCALE = 32_768
/** A flat pulse from this length on is held by an offset, because samples are few. */
const SHORTEST_OFFSET_NS = 100

/**
 * The steps that play a pulse. A long flat pulse is an offset between its two ends, whose waveforms take few
 * samples.
 * @throws ProgramError for a derivative beyond full scale.
 */
export function stepsOf(pulse: Pulse, { hz, table, acquisitions, path }: Surroundings): Step[] {
  const { at, duration, envelope, amplitude } = pulse
  const gain = scaled(amplitude)
  const silence = table.silence()
  const gains = (own: number, other: number) => instruction('set_awg_gain', own, other)
  const offset = (own: number) => instruction('set_awg_offs', own, 0)
  const play = (own: number, other = silence) => instruction('play', own, other)
  const first = (setting: Instruction, started: Instruction): Step => ({
    at,
    tone: { hz, phase: pulse.phase },
    settings: [setting],
    instruction: started,
  })
  if (envelope.shape === 'gaussian') {
    const [own, other] = [table.gaussian(duration), table.derivative(duration)]
    const derivative = amplitude * envelope.motzoi * other.weight
    if (Math.abs(derivative) > 1) {
      throw new ProgramError(`${path}.envelope.motzoi`, `its quadrature reaches ${derivative} of full scale`)
    }
    return [first(gains(scaled(amplitude * own.weight), scaled(derivative)), play(own.index, other.index))]
  }
  const rise = envelope.shape === 'soft_square' ? envelope.rise : 0
  if (duration < Math.max(SHORTEST_OFFSET_NS, 4 * rise)) {
    return [first(gains(gain, 0), play(table.flat(duration, rise)))]
  }
  const length = endLength(Math.max(Math.ceil(rise), SHORTEST_STEP_NS), at + duration, acquisitions)
  const last: Step = {
    at: at + duration - length,
    settings: [offset(0), gains(gain, 0)],
    instruction: play(table.end(length, rise, 'last')),
  }
  const update = instruction('upd_param')
  if (rise === 0) return [first(offset(gain), update), last]
  const rising = first(gains(gain, 0), play(table.end(length, rise, 'first')))
  return [rising, { at: at + length, settings: [offset(gain)], instruction: update }, last]
}

/** The least length of the end of a pulse whose start keeps its distance from all acquisitions. */
function endLength(least: number, end: number, acquisitions: readonly number[]): number {
  const isFree = (length: number) =>
    acquisitions.every((at) => Math.abs(end - length - at) >= SHORTEST_STEP_NS)
  const candidates = Array.from({ length: 2 * SHORTEST_STEP_NS }, (_, more) => least + more)
  return candidates.find(isFree) ?? least
}

/** A share of full scale as the instructions take it. */
function scaled(share: number): number {
  return Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, Math.round(share * FULL_SCALE)))
}
