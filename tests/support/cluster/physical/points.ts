import {
  type Acquisition,
  type Program,
  type Pulse,
  partsOfPort,
  type Schedule,
} from '../../../../src/devices/pulse/schedule.ts'
import type { SequencerEvent } from '../../sequencer/language/emulate.ts'
import type { PlayedRun, PlayedSequencer } from '../run/played-run.ts'
import { type Arrived, carrierAt, type Line, pulsesOf } from './pulses.ts'

/** What a sequencer plays and records, on its line. */
interface Part {
  played: PlayedSequencer
  line: Line
  pulses: readonly Arrived[]
  acquires: readonly SequencerEvent[]
}

/** Where a recording belongs: the sequencer, and the number of the acquisition in its repetition. */
export interface Place {
  played: PlayedSequencer
  index: number
}

/** The points of a repetition, with the place of each acquisition. */
export interface Points {
  program: Pick<Program, 'points' | 'reset_ns'>
  places: readonly (readonly Place[])[]
}

/**
 * What a cluster plays as a program: a point begins where all sequencers reset the phase of their oscillator,
 * and the time in which nothing happens before it is the reset of the qubits.
 */
export function pointsOf(
  { sequencers }: PlayedRun,
  lineOf: (played: PlayedSequencer) => Line | undefined,
): Points {
  const parts = sequencers.flatMap((played): Part[] => {
    const line = lineOf(played)
    if (!line) return []
    const acquires = played.events.filter(({ kind }) => kind === 'acquire')
    return [{ played, line, pulses: pulsesOf(played, line), acquires }]
  })
  const periodNs = Math.max(...sequencers.map((each) => each.periodNs))
  const starts = startsOf(parts)
  const bounds = starts.map((start, index) => ({ start, end: starts[index + 1] ?? periodNs }))
  const drafts = bounds.map((bound) => pointOf(parts, bound))
  const pauses = drafts.map(({ first }, index) => {
    const before = drafts[(index + drafts.length - 1) % drafts.length]
    const wraps = index === 0 ? periodNs : 0
    return first + wraps - (before?.last ?? 0)
  })
  return {
    program: {
      points: drafts.map(({ schedule }) => schedule),
      reset_ns: Math.max(0, Math.round(Math.min(...pauses))),
    },
    places: drafts.map(({ places }) => places),
  }
}

interface Bound {
  /** ns */
  start: number
  end: number
}

/** The times at which all sequencers reset their phase; the start when there are none. */
function startsOf(parts: readonly Part[]): number[] {
  const [first, ...others] = parts.map(({ played, line }) => resetsOf(played, line))
  const common = [...(first ?? [])].filter((t) => others.every((resets) => resets.has(t)))
  return common.length > 0 ? common : [0]
}

function resetsOf({ events }: PlayedSequencer, { delayNs }: Line): Set<number> {
  const times = new Set<number>()
  let seen = 0
  for (const { t, output } of events) {
    if (output.resets > seen) times.add(t - delayNs)
    seen = output.resets
  }
  return times
}

/** One point, when its first pulse or window starts and its last ends. */
function pointOf(parts: readonly Part[], bound: Bound) {
  const pulses = parts.flatMap((part) => pulsesIn(part, bound))
  const recorded = parts.flatMap((part) => windowsIn(part, bound))
  const acquisitions = recorded.map(({ window }) => window)
  const timed = [...pulses, ...acquisitions]
  const { start, end } = bound
  const duration = Math.max(0, ...timed.map((each) => each.at + each.duration))
  const schedule: Schedule = { duration, pulses, acquisitions }
  return {
    ...{ schedule, places: recorded.map(({ place }) => place), last: start + duration },
    first: start + Math.min(end - start, ...timed.map(({ at }) => at)),
  }
}

function pulsesIn({ played, line, pulses }: Part, { start, end }: Bound): Pulse[] {
  return pulses.flatMap(({ at, duration, amplitude, envelope, output }): Pulse[] => {
    if (at < start || at >= end) return []
    const { frequency, phase } = carrierAt(output, played, line, start)
    return [
      {
        ...{ at: at - start, duration, port: line.port, frequency, envelope },
        phase: amplitude < 0 ? phase + Math.PI : phase,
        // The offset of a pulse at full scale is a step above it.
        amplitude: Math.min(1, Math.abs(amplitude)),
      },
    ]
  })
}

function windowsIn({ played, line, acquires }: Part, { start, end }: Bound) {
  if (!isConnected(played)) return []
  const { element: qubit } = partsOfPort(line.port)
  return acquires.flatMap(({ t, output }, index): { window: Acquisition; place: Place }[] => {
    const at = t - line.delayNs
    if (at < start || at >= end) return []
    const window = { at: at - start, duration: played.integrationNs, port: `${qubit}:res` as const, qubit }
    return [{ window: { ...window, ...carrierAt(output, played, line, start) }, place: { played, index } }]
  })
}

/** Whether it records an input, demodulated. */
function isConnected({ inputs, config }: PlayedSequencer): boolean {
  return (inputs[0]?.length ?? 0) > 0 && config.acq[0]?.demod.en === true
}
