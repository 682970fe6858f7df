import { toTimestamp } from '../../src/base/index.ts'
import { Lists } from './filters.ts'
import type { Random } from './random.ts'
import { idOf } from './values.ts'

/** Who sends a request: nobody, the users `u…0` and `u…1`, or a superuser. */
export type Role = 'guest' | 'ada' | 'bob' | 'root'

/** A record that a request made, which each server knows by an id of its own. */
export type Kind = 'job' | 'booking' | 'token' | 'webhook' | 'recall' | 'share' | 'record'

/** What both servers get; `«3»` in its texts stands for the id of the third made record. */
export interface Sent {
  readonly as: Role
  readonly method: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Of which kind the record is that it makes. */
  readonly makes?: Kind
}

const DAY_MS = 86_400_000

/** What requests are made of; `start` is the time of their first one, in ms since the epoch. */
export class Draw {
  readonly random: Random
  readonly lists: Lists
  readonly start: number
  /** The records that requests made. */
  readonly made: Record<Kind, number[]> = {
    ...{ job: [], booking: [], token: [], webhook: [], recall: [], share: [], record: [] },
  }
  /** The path of the collection of a made record. */
  readonly tables = new Map<number, string>()

  constructor(random: Random, start: number) {
    this.random = random
    this.lists = new Lists(random)
    this.start = start
  }

  role(): Role {
    return this.random.of(['guest', 'ada', 'ada', 'bob', 'root', 'root', 'root'])
  }

  /** A time at most some days before or after the start. */
  time(days = 3): string {
    return toTimestamp(this.start + Math.round((this.random.below(200) / 100 - 1) * days * DAY_MS))
  }

  /** The id of a stored or made record. */
  id(kind: Kind, stored: string, count: number): string {
    const made = this.made[kind]
    return made.length > 0 && this.random.chance(0.6)
      ? `«${this.random.of(made.slice(-20))}»`
      : idOf(stored, this.random.below(count))
  }

  /** Some of these parameters. */
  given(parameters: Record<string, () => string>): Record<string, string> {
    const names = this.random.some(Object.keys(parameters), 0.4)
    return Object.fromEntries(names.map((name) => [name, parameters[name]?.() ?? '']))
  }
}
