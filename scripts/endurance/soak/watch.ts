import { readdirSync, readFileSync } from 'node:fs'
import { type Slope, slopeOf } from './slope.ts'

/**
 * The watched figures of a process: MB in memory (RSS), MB that no other process shares, open file
 * descriptors.
 */
export const MEASURES = ['rss', 'own', 'descriptors'] as const
type Measure = (typeof MEASURES)[number]

/** Samples of one process, from /proc; Linux only. */
export class Watch {
  readonly name: string
  readonly #pid: number
  readonly #hours: number[] = []
  readonly #values: Record<Measure, number[]> = { rss: [], own: [], descriptors: [] }

  constructor(name: string, pid: number) {
    this.name = name
    this.#pid = pid
  }

  /** Takes one sample. @throws Error when the process is no more. */
  sample(hours: number): void {
    const text = readFileSync(`/proc/${this.#pid}/smaps_rollup`, 'utf8')
    const megabytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1_000
    this.#hours.push(hours)
    this.#values.rss.push(megabytes('Rss'))
    this.#values.own.push(megabytes('Private_Clean') + megabytes('Private_Dirty'))
    this.#values.descriptors.push(readdirSync(`/proc/${this.#pid}/fd`).length)
  }

  /** The newest value. */
  latest(measure: Measure): number {
    return this.#values[measure].at(-1) ?? Number.NaN
  }

  slope(measure: Measure): Slope {
    return slopeOf(this.#hours, this.#values[measure])
  }

  /** Everything sampled, for a plot. */
  toJSON() {
    return { name: this.name, hours: this.#hours, ...this.#values }
  }
}

/** The device process of a driver. */
export function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}
