import type { Instruction } from '../../sequencer/language/assemble.ts'
import { emulate, type SequencerEvent } from '../../sequencer/language/emulate.ts'

/** What a sequencer does in one repetition, and how the repetitions go on. */
export interface Playback {
  /** Of the first repetition, or of the whole program when it has one; times in ns. */
  events: readonly SequencerEvent[]
  repetitions: number
  /** ns from one repetition to the next; the whole time of a program that has one. */
  periodNs: number
  /** By how much the bin of each acquisition grows from one repetition to the next. */
  binSteps: readonly number[]
}

type Initial = Parameters<typeof emulate>[1]

/** Repetitions that are emulated to see whether all are alike. */
const SAMPLE = 3
/** Largest difference of the phase of an oscillator that counts as none, turns. */
const PHASE_TOLERANCE = 1e-6
/** Instructions between two turns of other work. */
const EVENTS_A_TURN = 20_000

/**
 * Emulates a program. One that ends with a loop around everything, such as that over shots, is emulated three
 * times round: when the rounds do the same, the others do as well. Any other program is emulated as a whole.
 */
export async function playbackOf(program: readonly Instruction[], initial: Initial): Promise<Playback> {
  const outer = outerLoop(program)
  if (outer && outer.count > SAMPLE) {
    const rounds = await roundsOf(program, outer.at, initial)
    const playback = rounds && repeated(rounds, outer.count)
    if (playback) return playback
  }
  const { events, end } = await run(program, initial)
  const acquisitions = events.filter(({ kind }) => kind === 'acquire')
  return { events, repetitions: 1, periodNs: end, binSteps: acquisitions.map(() => 0) }
}

/** The loop that ends a program, and the instruction that sets the number of its rounds. */
function outerLoop(program: readonly Instruction[]): { at: number; count: number } | undefined {
  const [loop, stop] = program.slice(-2)
  if (loop?.name !== 'loop' || stop?.name !== 'stop') return undefined
  const [counter] = loop.values
  if (!counter || !('register' in counter)) return undefined
  const setting = program.flatMap(({ name, values: [value, target] }, at) =>
    name === 'move' && target && 'register' in target && target.register === counter.register
      ? [{ at, count: value && 'number' in value ? value.number : 0 }]
      : [],
  )
  return setting.length === 1 ? setting[0] : undefined
}

interface Round {
  events: readonly SequencerEvent[]
  start: number
  end: number
}

/** The first rounds, by programs that end after one, two and three. */
async function roundsOf(
  program: readonly Instruction[],
  at: number,
  initial: Initial,
): Promise<Round[] | undefined> {
  const setting = program[at]
  if (!setting) return undefined
  const runs: Round[] = []
  let before = 0
  for (let count = 1; count <= SAMPLE; count++) {
    const values = [{ number: count }, ...setting.values.slice(1)]
    const { events, end } = await run(program.with(at, { ...setting, values }), initial)
    runs.push({ events: events.slice(before), start: runs.at(-1)?.end ?? 0, end })
    before = events.length
  }
  return runs
}

/** One round for all of them, when the second and third differ only in time and bins. */
function repeated([, second, third]: readonly Round[], repetitions: number): Playback | undefined {
  if (!second || !third || second.events.length !== third.events.length) return undefined
  const periodNs = third.end - second.end
  if (periodNs !== second.end - second.start) return undefined
  const binSteps: number[] = []
  for (const [index, event] of second.events.entries()) {
    const next = third.events[index]
    if (!next || !isSame(event, next, periodNs)) return undefined
    if (event.kind === 'acquire' && next.kind === 'acquire') binSteps.push(next.bin - event.bin)
  }
  let acquisition = 0
  const events = second.events.map((event): SequencerEvent => {
    const { since, resets } = event.output
    const output = { ...event.output, since: since - periodNs, resets: resets - 1 }
    const moved = { ...event, t: event.t - periodNs, output }
    if (moved.kind !== 'acquire') return moved
    return { ...moved, bin: moved.bin - (binSteps[acquisition++] ?? 0) }
  })
  return { events, repetitions, periodNs, binSteps }
}

function isSame(a: SequencerEvent, b: SequencerEvent, shift: number): boolean {
  if (a.kind !== b.kind || b.t - a.t !== shift) return false
  const [from, to] = [a.output, b.output]
  const turn = Math.abs(to.turns - from.turns)
  const isSameOutput =
    Math.min(turn, 1 - turn) < PHASE_TOLERANCE &&
    Bun.deepEquals({ ...from, turns: 0, since: 0, resets: 0 }, { ...to, turns: 0, since: 0, resets: 0 })
  if (!isSameOutput || a.kind === 'update' || b.kind === 'update') return isSameOutput
  if (a.kind === 'play' || b.kind === 'play') {
    return a.kind === 'play' && b.kind === 'play' && Bun.deepEquals(a.waveforms, b.waveforms)
  }
  return a.acquisition === b.acquisition
}

async function run(program: readonly Instruction[], initial: Initial) {
  const events: SequencerEvent[] = []
  const steps = emulate(program, initial)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return { events, end: step.value }
    events.push(step.value)
    if (events.length % EVENTS_A_TURN === 0) await Bun.sleep(0)
  }
}
