import type { PortName, Pulse } from '../../../../src/devices/pulse/schedule.ts'
import type { OutputState } from '../../sequencer/language/output.ts'
import type { PlayedSequencer } from '../run/played-run.ts'
import { type Piece, piecesOf, sampleOf } from './pieces.ts'
import { shapeOf } from './shapes.ts'

/** Where what a sequencer plays arrives. */
export interface Line {
  port: PortName
  /** Frequency of the local oscillator, Hz. */
  loHz: number
  /** How much later than the others its signal is sent, ns: what its cable is shorter. */
  delayNs: number
  /** Markers of which one opens the switch of the output; 0 where there is none. */
  markers: number
}

/** A value at the end of a pulse below this share of the largest is the tail of a Gaussian. */
const TAIL = 0.01

/** A pulse as it arrives, and the output that played it. */
export interface Arrived {
  at: number
  duration: number
  amplitude: number
  envelope: Pulse['envelope']
  output: OutputState
}

/** The pulses of a sequencer as they arrive at the chip. */
export function pulsesOf(played: PlayedSequencer, line: Line): Arrived[] {
  const open = piecesOf(played).filter(
    ({ output }) => line.markers === 0 || (output.markers & line.markers) !== 0,
  )
  return grouped(open, played).map((pieces): Arrived => {
    const [first] = pieces as [Piece]
    const end = (pieces.at(-1) ?? first).to
    return {
      ...{ at: first.from - line.delayNs, duration: end - first.from, ...shapeOf(pieces) },
      output: first.output,
    }
  })
}

/** Frequency of the carrier, Hz, and its phase at a time, rad; a local oscillator has phase 0 then. */
export function carrierAt(
  { hz, turns, since, phase }: OutputState,
  { config }: PlayedSequencer,
  { loHz, delayNs }: Line,
  at: number,
): { frequency: number; phase: number } {
  if (config.awg[0]?.mixer.en !== true) return { frequency: loHz, phase: 0 }
  // What arrives at a time was sent later, as the cable is shorter than the others.
  const total = turns + phase + (hz * (at + delayNs - since)) / 1e9
  const rounded = Math.round((total - Math.floor(total)) * 1e9) / 1e9
  return { frequency: loHz + hz, phase: 2 * Math.PI * (rounded % 1) }
}

/** Pieces that are one pulse: without a gap, of one carrier, and high on both sides of where they meet. */
function grouped(pieces: readonly Piece[], played: PlayedSequencer): Piece[][] {
  const groups: Piece[][] = []
  for (const piece of pieces) {
    const last = groups.at(-1)?.at(-1)
    if (last && isContinued(last, piece, played)) groups.at(-1)?.push(piece)
    else groups.push([piece])
  }
  return groups
}

function isContinued(last: Piece, next: Piece, played: PlayedSequencer): boolean {
  if (last.to !== next.from) return false
  const line: Line = { port: 'q:mw', loHz: 0, delayNs: 0, markers: 0 }
  const [a, b] = [carrierAt(last.output, played, line, 0), carrierAt(next.output, played, line, 0)]
  const turn = Math.abs(a.phase - b.phase) / (2 * Math.PI)
  if (a.frequency !== b.frequency || Math.min(turn, 1 - turn) > 1e-6) return false
  const isHigh = (piece: Piece, at: number) =>
    Math.hypot(sampleOf(piece.i, at), sampleOf(piece.q, at)) > TAIL * Math.max(largest(last), largest(next))
  return isHigh(last, last.to - last.from - 1) && isHigh(next, 0)
}

function largest({ i, from, to }: Piece): number {
  return typeof i === 'number' ? Math.abs(i) : Math.abs(i[Math.floor((to - from) / 2)] ?? 0)
}
