import { book, readFigures, useLinks, useTokens } from './account-requests.ts'
import { Draw, type Kind, type Sent } from './draw.ts'
import { calibrate, listJobs, operate, useJob } from './job-requests.ts'
import type { Random } from './random.ts'
import { changeRecord, listRecords, viewRecord } from './record-requests.ts'

/** The other half of the requests are lists of records. */
const OTHERS = [
  ...[viewRecord, listJobs, listJobs, useJob, useJob, useJob, operate, book, useTokens, changeRecord],
  ...[changeRecord, readFigures, readFigures, calibrate, useLinks],
]

/** Random requests to most routes that read or change the database. */
export class Requests {
  readonly #draw: Draw

  /** `start`: the time of the first request, in ms since the epoch. */
  constructor(random: Random, start: number) {
    this.#draw = new Draw(random, start)
  }

  /** Notes that a request made record `index`. */
  made(kind: Kind, index: number, { path }: Sent): void {
    this.#draw.made[kind].push(index)
    if (kind === 'record') this.#draw.tables.set(index, path)
  }

  next(): Sent {
    const { random } = this.#draw
    return (random.chance(0.5) ? listRecords : random.of(OTHERS))(this.#draw)
  }
}
