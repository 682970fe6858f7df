import type { Sequence } from '../../../src/devices/bench/sequencer/sequence.ts'
import { assemble } from './language/assemble.ts'
import { emulate, type SequencerEvent } from './language/emulate.ts'
import type { OutputState } from './language/output.ts'

interface Rendered {
  /** Both paths of the output after the oscillator, a sample a nanosecond. */
  i: Float64Array
  q: Float64Array
}

/** What a sequencer plays, from the end of its first synchronization on. */
export function render(sequence: Sequence): Rendered {
  const samplesOf = new Map(Object.values(sequence.waveforms).map(({ index, data }) => [index, data]))
  const i: number[] = []
  const q: number[] = []
  let [state, started, waves]: [OutputState | undefined, number, readonly (readonly number[])[]] = [
    undefined,
    0,
    [],
  ]
  function renderUntil(end: number): void {
    for (let t = i.length; t < end; t++) {
      const path = (index: 0 | 1) =>
        state ? state.gain[index] * (waves[index]?.[t - started] ?? 0) + state.offset[index] : 0
      const [a, b] = [path(0), path(1)]
      const angle = state && (a !== 0 || b !== 0) ? 2 * Math.PI * turnsAt(state, t) : 0
      i.push(a * Math.cos(angle) - b * Math.sin(angle))
      q.push(a * Math.sin(angle) + b * Math.cos(angle))
    }
  }
  const { events, end } = eventsOf(sequence)
  for (const event of events) {
    renderUntil(event.t)
    state = event.output
    if (event.kind !== 'play') continue
    started = event.t
    waves = event.waveforms.map((index) => samplesOf.get(index) ?? [])
  }
  renderUntil(end)
  return { i: Float64Array.from(i), q: Float64Array.from(q) }
}

/** The events of a sequence, and when it stops, ns. */
export function eventsOf({ program }: Sequence): { events: SequencerEvent[]; end: number } {
  const { instructions, problems } = assemble(program)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const events: SequencerEvent[] = []
  const steps = emulate(instructions)
  for (;;) {
    const step = steps.next()
    if (step.done) return { events, end: step.value }
    events.push(step.value)
  }
}

/** The phase of the oscillator at a time, in turns. */
export function turnsAt({ turns, since, hz, phase }: OutputState, t: number): number {
  return turns + (hz * (t - since)) / 1e9 + phase
}
