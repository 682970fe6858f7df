import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as v from 'valibot'
import { flush, messageOf } from '../../../base/index.ts'
import { StartupError } from '../../errors.ts'

const index = v.pipe(v.number(), v.integer(), v.minValue(0))
const address = v.variant('source', [
  v.object({ source: v.literal('spi'), module: index, output: index }),
  v.object({
    source: v.literal('qcm'),
    module: index,
    output: index,
    lineResistanceOhm: v.pipe(v.number(), v.gtValue(0)),
  }),
  v.object({ source: v.literal('simulated') }),
])

const entry = v.object({
  edge: v.string(),
  /** The output that was changed, whatever the device file says later. */
  address,
  /** Rate of the ramp back, A/s; absent for the usual one. */
  abortRate: v.optional(v.pipe(v.number(), v.gtValue(0))),
  /** Current before the first change, A. */
  before: v.pipe(v.number(), v.finite()),
  /** The run that changed it. */
  run: v.string(),
  /** Time of the first change. */
  at: v.string(),
  /** Where the coupler stays once its device file has the new current. */
  parked: v.optional(
    v.object({
      /** Path of the device file. */
      file: v.string(),
      /** The parking current that it is to have, A. */
      current: v.pipe(v.number(), v.finite()),
      /** The current of the output then, A. */
      held: v.pipe(v.number(), v.finite()),
    }),
  ),
})
/** One coupler whose current differs, or may differ, from what it was before a run. */
export type JournalEntry = v.InferOutput<typeof entry>

const content = v.object({ version: v.literal(1), entries: v.array(entry) })

/** Room for every coupler of a chip, many times over. */
const MAX_BYTES = 1_000_000

/**
 * Which currents have to be restored, in a file that outlives the process: written and flushed to the disk
 * before a current changes for the first time, without the entry again when the former current is confirmed.
 */
export class CurrentJournal {
  readonly #path: string
  #entries: readonly JournalEntry[]

  /** @throws StartupError when the file exists but cannot be read as a journal. */
  constructor(path: string) {
    this.#path = path
    this.#entries = readEntries(path)
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries
  }

  entryOf(edge: string): JournalEntry | undefined {
    return this.#entries.find((each) => each.edge === edge)
  }

  /** Adds an entry unless the edge has one: the current before the first change counts. */
  add(added: JournalEntry): void {
    if (this.entryOf(added.edge)) return
    this.#store([...this.#entries, added])
  }

  /** Replaces what is known about an edge that has an entry. */
  change(edge: string, changes: Partial<JournalEntry>): void {
    if (!this.entryOf(edge)) return
    this.#store(this.#entries.map((each) => (each.edge === edge ? { ...each, ...changes } : each)))
  }

  remove(edge: string): void {
    if (!this.entryOf(edge)) return
    this.#store(this.#entries.filter((each) => each.edge !== edge))
  }

  /** Replaces the file; a crash at any point leaves the old or the new one, whole. */
  #store(entries: readonly JournalEntry[]): void {
    const folder = dirname(this.#path)
    mkdirSync(folder, { recursive: true })
    if (entries.length === 0) {
      rmSync(this.#path, { force: true })
    } else {
      const temporary = `${this.#path}.tmp`
      writeFileSync(temporary, `${JSON.stringify({ version: 1, entries }, null, 2)}\n`, { mode: 0o600 })
      flush(temporary)
      renameSync(temporary, this.#path)
    }
    flush(folder)
    this.#entries = entries
  }
}

function readEntries(path: string): readonly JournalEntry[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw unusable(path, messageOf(error))
  }
  try {
    if (text.length > MAX_BYTES) throw new Error('it is too large')
    return v.parse(content, JSON.parse(text)).entries
  } catch (error) {
    throw unusable(path, messageOf(error))
  }
}

function unusable(path: string, reason: string): StartupError {
  return new StartupError(
    `startup error: ${path} says which coupler currents to restore and cannot be read (${reason}); compare the currents with the device file by hand, then delete it`,
  )
}
