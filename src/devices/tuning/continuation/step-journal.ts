import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { DAY_MS, flush, type Log, MIB } from '../../../base/index.ts'
import type { CalibrationFindings } from '../../../protocol/index.ts'
import type { CalibrationRequest } from '../../define-device.ts'
import { CalibrationError } from '../../errors.ts'
import type { NodeOutcome } from '../walk/run-node.ts'
import { type JournaledStep, readStep, stepKey, writeStep } from './journaled-step.ts'
import { DEVICE_FILE, type RunBasis } from './run-basis.ts'

/** Folder below the data folder of the tuner. */
export const STEP_JOURNAL_FOLDER = 'calibration-steps'

/** Runs whose steps are kept, how long, and the size of the steps of one. */
const MAX_JOURNALS = 5
const MAX_AGE_MS = 7 * DAY_MS
const MAX_BYTES = 64 * MIB

const hashes = v.record(v.string(), v.string())
const head = v.object({
  version: v.literal(2),
  mode: v.string(),
  targets: v.array(v.string()),
  basis: hashes,
})

interface StepOptions {
  /** The folder of all journals. */
  readonly folder: string
  readonly now: number
  readonly log: Log
  readonly basis: RunBasis
}

/** Where the steps of a run are kept, and those of the run that it continues. */
export interface FinishedSteps {
  readonly journal: StepJournal
  /** How each step ended, by its key. */
  readonly steps: ReadonlyMap<string, NodeOutcome>
  /** What could not be used, for the report. */
  readonly remarks: readonly string[]
}

/** Reports of runs after which nothing is left to continue. */
const COMPLETE: ReadonlySet<string> = new Set(['success', 'partial_failure'])

/**
 * Runs a requested calibration with the steps of the request that it continues, or none yet; what it finishes
 * itself is kept until the run reaches its end. One that the tuner started itself keeps none.
 * @throws CalibrationError with the reason when nothing is left to continue.
 */
export async function withSteps(
  request: CalibrationRequest,
  options: StepOptions,
  calibrate: (finished?: FinishedSteps) => Promise<CalibrationFindings>,
): Promise<CalibrationFindings> {
  const finished = openSteps(request, options)
  try {
    const findings = await calibrate(finished)
    if (COMPLETE.has(findings.status)) finished?.journal.remove()
    return findings
  } finally {
    finished?.journal.close()
  }
}

function openSteps(request: CalibrationRequest, options: StepOptions): FinishedSteps | undefined {
  const { id, resume } = request
  if (resume !== undefined) return StepJournal.resume(resume, request, options)
  if (id === null) return undefined
  try {
    return { journal: StepJournal.begin(id, request, options), steps: new Map(), remarks: [] }
  } catch (error) {
    options.log.warn('this calibration cannot be continued if it ends early: its steps cannot be kept', {
      error,
    })
    return undefined
  }
}

/**
 * The finished steps of one request, a line with a checksum each, in a file that outlives the process:
 * whoever continues the request does not repeat them. A step is on the disk before the next one begins, so
 * that what is before any line is what a run had finished when it ended there.
 */
class StepJournal {
  readonly #path: string
  readonly #log: Log
  readonly #file: number
  #bytes: number

  /** The file goes on after the given number of bytes. */
  private constructor(path: string, log: Log, bytes: number) {
    this.#path = path
    this.#log = log
    this.#file = openSync(path, 'a', 0o600)
    ftruncateSync(this.#file, bytes)
    this.#bytes = bytes
  }

  /** Begins the journal of a request, in place of an earlier one of it; removes those that are too many. */
  static begin(id: string, { mode, targetQubits }: CalibrationRequest, options: StepOptions): StepJournal {
    const { folder, log } = options
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    removeOld(options, MAX_JOURNALS - 1)
    const journal = new StepJournal(pathOf(folder, id), log, 0)
    journal.#append(JSON.stringify({ version: 2, mode, targets: targetQubits, basis: options.basis }))
    flush(folder)
    return journal
  }

  /**
   * The journal of a request that is to be continued, and its steps.
   * @throws CalibrationError with the reason when nothing of it is left to continue.
   */
  static resume(id: string, { mode, targetQubits }: CalibrationRequest, options: StepOptions): FinishedSteps {
    const { folder, log } = options
    removeOld(options, MAX_JOURNALS)
    const path = pathOf(folder, id)
    const [first = '', ...rest] = textOf(path).split('\n')
    if (first === '') {
      const days = MAX_AGE_MS / DAY_MS
      throw nothingLeft(
        `this tuner has no steps of request ${id}; it keeps those of the last ${MAX_JOURNALS} unfinished runs for ${days} days`,
      )
    }
    const begun = v.safeParse(v.pipe(v.string(), v.parseJson(), head), intact(first))
    if (!begun.success) throw nothingLeft(`${path} is damaged or of another release`)
    const { basis: before, ...wanted } = begun.output
    if (wanted.mode !== mode || wanted.targets.join() !== targetQubits.join())
      throw nothingLeft(`request ${id} was for ${[wanted.mode, ...wanted.targets].join(' ')}`)
    const { basis: now } = options
    const changed = Object.keys({ ...before, ...now }).find((part) => before[part] !== now[part])
    if (changed !== undefined) {
      const own = changed === DEVICE_FILE ? ', perhaps by that run, which had ended then' : ''
      throw nothingLeft(`the ${changed} is not as request ${id} began with${own}`)
    }
    // A crash leaves a last line without its end.
    const lines = rest.slice(0, -1)
    const steps = stepsBeforeDamage(lines)
    const lost = lines.length - steps.length
    const damage = `line ${steps.length + 2} of ${path} is damaged`
    if (lost > 0) log.warn('kept steps of a calibration are damaged', { path, line: steps.length + 2, lost })
    if (steps.length === 0) throw nothingLeft(lost > 0 ? damage : `no step of request ${id} had ended`)
    const bytes = Buffer.byteLength([first, ...lines.slice(0, steps.length), ''].join('\n'))
    return {
      journal: new StepJournal(path, log, bytes),
      steps: outcomesOf(steps),
      remarks: lost > 0 ? [`${damage}: that step and ${lost - 1} after it are measured again`] : [],
    }
  }

  /** Adds a step; one that finds no room is repeated when the run is continued, with all that follow. */
  add(step: JournaledStep): void {
    try {
      if (this.#bytes <= MAX_BYTES) this.#append(writeStep(step))
    } catch (error) {
      this.#bytes = Number.POSITIVE_INFINITY
      const { routine } = step
      this.#log.warn('steps from here on are not kept for a continuation of the run', { routine, error })
    }
  }

  close(): void {
    closeSync(this.#file)
  }

  /** The request has ended: nothing is left to continue. */
  remove(): void {
    rmSync(this.#path, { force: true })
  }

  #append(text: string): void {
    this.#bytes += writeSync(this.#file, `${checksumOf(text)} ${text}\n`)
    fsyncSync(this.#file)
  }
}

function stepsBeforeDamage(lines: readonly string[]): JournaledStep[] {
  const steps: JournaledStep[] = []
  for (const line of lines) {
    const step = readStep(intact(line) ?? '')
    if (!step) break
    steps.push(step)
  }
  return steps
}

/** How each step ended last, but for those that followed an outcome which was replaced. */
function outcomesOf(steps: readonly JournaledStep[]): Map<string, NodeOutcome> {
  const outcomes = new Map<string, NodeOutcome>()
  for (const { routine, occurrence, outcome, invalidates = [] } of steps) {
    for (const key of invalidates) outcomes.delete(key)
    outcomes.set(stepKey(routine, outcome.target, occurrence), outcome)
  }
  return outcomes
}

const CHECKSUM_LENGTH = 8

function checksumOf(text: string): string {
  return Bun.hash.crc32(text).toString(16).padStart(CHECKSUM_LENGTH, '0')
}

/** The text of a line that is as it was written; undefined for another. */
function intact(line: string): string | undefined {
  const text = line.slice(CHECKSUM_LENGTH + 1)
  return line === `${checksumOf(text)} ${text}` ? text : undefined
}

function nothingLeft(reason: string): CalibrationError {
  return new CalibrationError(`nothing is left to continue: ${reason}; request a new calibration`)
}

/** Ids are checked where they arrive: they are letters and digits. */
const pathOf = (folder: string, request: string) => join(folder, `${request}.jsonl`)

/** Empty without a journal. */
function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** Removes journals that are too old, and the oldest ones beyond a number. */
function removeOld({ folder, now }: StepOptions, most: number): void {
  const all = filesOf(folder).sort((one, other) => other.at - one.at)
  for (const [place, { path, at }] of all.entries())
    if (place >= most || now - at > MAX_AGE_MS) rmSync(path, { force: true })
}

function filesOf(folder: string): { path: string; at: number }[] {
  try {
    return readdirSync(folder).map((name) => {
      const path = join(folder, name)
      return { path, at: statSync(path).mtimeMs }
    })
  } catch {
    return []
  }
}
