import type { SequencerEvent } from '../../sequencer/language/emulate.ts'
import type { OutputState } from '../../sequencer/language/output.ts'
import type { PlayedSequencer } from '../run/played-run.ts'

/** Samples of a path, one a nanosecond, or the one value that all of them have. */
type Path = Float64Array | number

/** A stretch of time in which an output plays one waveform, or the same all the time. */
export interface Piece {
  /** ns from the start of the repetition. */
  from: number
  to: number
  /** Settings of the output from its start on. */
  output: OutputState
  i: Path
  q: Path
}

interface Playing {
  started: number
  waves: readonly (Float32Array | undefined)[]
}

/** Samples that differ by less than this count as equal: two steps of a converter of 16 bits. */
const EQUAL = 2 / 32_768

/** What an output plays where it is not silent: waveforms times gains plus offsets, before the oscillator. */
export function piecesOf(played: PlayedSequencer): Piece[] {
  const pieces: Piece[] = []
  let output: OutputState | undefined
  let playing: Playing = { started: 0, waves: [] }
  let at = 0
  const end = Math.max(played.periodNs, played.events.at(-1)?.t ?? 0)
  function playUntil(time: number): void {
    if (!output) return
    const length = Math.max(0, ...playing.waves.map((wave) => wave?.length ?? 0))
    const middle = Math.min(time, Math.max(at, playing.started + length))
    for (const [from, to] of [
      [at, middle],
      [middle, time],
    ] as const) {
      if (to <= from) continue
      const path = (index: 0 | 1) => pathOf(played, output as OutputState, playing, index, from, to)
      const piece = { from, to, output, i: path(0), q: path(1) }
      if (piece.i !== 0 || piece.q !== 0) pieces.push(piece)
    }
  }
  for (const event of played.events) {
    playUntil(event.t)
    at = event.t
    output = event.output
    if (event.kind === 'play') playing = playingOf(event, played)
  }
  playUntil(end)
  return pieces
}

function playingOf(
  { t, waveforms }: Extract<SequencerEvent, { kind: 'play' }>,
  played: PlayedSequencer,
): Playing {
  return { started: t, waves: waveforms.map((index) => played.waveforms.get(index)) }
}

function pathOf(
  { config }: PlayedSequencer,
  { gain, offset }: OutputState,
  { started, waves }: Playing,
  index: 0 | 1,
  from: number,
  to: number,
): Path {
  const [awg] = config.awg
  const factor = awg?.gain_path[index] ?? 0
  const constant = factor * offset[index] + (awg?.offs_path[index] ?? 0)
  const wave = waves[index]?.subarray(from - started, to - started)
  if (!wave || wave.length === 0 || factor * gain[index] === 0) return constant
  const samples = new Float64Array(to - from).fill(constant)
  for (const [at, sample] of wave.entries()) samples[at] = constant + factor * gain[index] * sample
  const first = samples[0] ?? 0
  return samples.every((each) => Math.abs(each - first) <= EQUAL) ? first : samples
}

/** The value of a path at a sample. */
export function sampleOf(path: Path, at: number): number {
  return typeof path === 'number' ? path : (path[at] ?? 0)
}
