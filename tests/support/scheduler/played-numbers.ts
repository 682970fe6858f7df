import { assemble } from '../sequencer/language/assemble.ts'
import { emulate } from '../sequencer/language/emulate.ts'

interface PlayedSequence {
  program: string
  waveforms: Readonly<Record<string, { readonly index: number; readonly data: readonly number[] }>>
}

/** What one sequencer plays and records. */
export interface PlayedSignal {
  /** Both paths without their carrier, of full scale, by the nanosecond. */
  i: readonly number[]
  q: readonly number[]
  /** Times at which acquisitions start, ns. */
  acquisitions: readonly number[]
  /** Their bins. */
  bins: readonly number[]
}

/** The same in numbers that do not depend on how its program says it. */
export interface PlayedNumbers {
  /** Stretches in which the output is not zero: first ns, length, and sums of both paths, without carrier. */
  stretches: [at: number, length: number, i: number, q: number][]
  /** Times at which acquisitions start, ns. */
  acquisitions: readonly number[]
}

/** Plays a sequence in the emulator. Times count from the end of its synchronization. */
export function playedSignal({ program, waveforms }: PlayedSequence): PlayedSignal {
  const data = new Map(Object.values(waveforms).map((each) => [each.index, each.data]))
  const { instructions, problems } = assemble(program)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const played = { i: [] as number[], q: [] as number[], acquisitions: [] as number[], bins: [] as number[] }
  let level: { gain: readonly number[]; offset: readonly number[]; phase: number } | undefined
  let waves: readonly (readonly number[])[] = []
  let started = 0
  const playUntil = (end: number) => {
    for (let t = played.i.length; t < end; t++) {
      const path = (index: 0 | 1) =>
        level ? (level.gain[index] ?? 0) * (waves[index]?.[t - started] ?? 0) + (level.offset[index] ?? 0) : 0
      const [a, b, angle] = [path(0), path(1), 2 * Math.PI * (level?.phase ?? 0)]
      played.i.push(a * Math.cos(angle) - b * Math.sin(angle))
      played.q.push(a * Math.sin(angle) + b * Math.cos(angle))
    }
  }
  const steps = emulate(instructions)
  let step = steps.next()
  for (; !step.done; step = steps.next()) {
    const event = step.value
    playUntil(event.t)
    level = event.output
    if (event.kind === 'acquire') {
      played.acquisitions.push(event.t)
      played.bins.push(event.bin)
    }
    if (event.kind !== 'play') continue
    started = event.t
    waves = event.waveforms.map((index) => data.get(index) ?? [])
  }
  playUntil(step.value)
  return played
}

/** The stretches of a signal, and its acquisitions. */
export function numbersOf({ i: first, q: second, acquisitions }: PlayedSignal): PlayedNumbers {
  const stretches: PlayedNumbers['stretches'] = []
  let last: PlayedNumbers['stretches'][number] | undefined
  for (const [t, i] of first.entries()) {
    const q = second[t] ?? 0
    if (i === 0 && q === 0) last = undefined
    else if (last) {
      last[1] += 1
      last[2] += i
      last[3] += q
    } else {
      last = [t, 1, i, q]
      stretches.push(last)
    }
  }
  return { stretches, acquisitions }
}
