import type {
  CircuitResult,
  Job,
  JobWire,
  PartialResults,
  Result,
  wire,
} from '../../../clients/js/src/index.ts'

/** Outcomes that are printed of one circuit; `--json` prints all. */
const MAX_OUTCOMES = 32
const BAR_LENGTH = 40

const LOCAL_TIME = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'medium' })

/** Text of other people without characters that control a terminal. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\u{fffd}')
}

/** A time in the zone of this machine, such as `2026-11-23 14:05:09`; empty for none. */
export function localTime(date: Date | undefined): string {
  return date === undefined ? '' : LOCAL_TIME.format(date)
}

/** Rows in columns, below a row of titles. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const lines = [titles, ...rows].map((row) => row.map(plain))
  const widths = titles.map((_, at) => Math.max(...lines.map((row) => (row[at] ?? '').length)))
  return lines.map((row) =>
    row
      .map((text, at) => text.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

/** The named values that are not empty, one in a line. */
export function fields(values: Readonly<Record<string, string | number | undefined>>): string[] {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, plain(String(value))] as const],
  )
  const width = Math.max(...given.map(([name]) => name.length))
  return given.map(([name, value]) => `${name.padEnd(width)}  ${value}`)
}

/** A line for each outcome: its bits, its count, and a bar; the most frequent ones if there are many. */
export function countLines(counts: Readonly<Record<string, number>>): string[] {
  const all = Object.entries(counts)
  const shots = all.reduce((sum, [, count]) => sum + count, 0)
  const shown = all.toSorted(([, a], [, b]) => b - a).slice(0, MAX_OUTCOMES)
  const width = Math.max(5, ...shown.map(([, count]) => String(count).length))
  const lines = shown
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([bits, count]) => {
      const bar = '█'.repeat(Math.round((count / shots) * BAR_LENGTH))
      return `  ${bits}  ${String(count).padStart(width)}  ${bar}`.trimEnd()
    })
  const left = all.length - shown.length
  return left > 0 ? [...lines, `  … and ${left} less frequent outcomes; --json prints all`] : lines
}

/** A line for each outcome: its bits and its probability; the most probable ones if there are many. */
function probabilityLines(probabilities: Readonly<Record<string, number>>): string[] {
  const all = Object.entries(probabilities)
  const shown = all.toSorted(([, a], [, b]) => b - a).slice(0, MAX_OUTCOMES)
  const lines = shown
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([bits, probability]) => `  ${bits}  ${probability.toPrecision(6)}`)
  const left = all.length - shown.length
  return left > 0 ? [...lines, `  … and ${left} less probable outcomes; --json prints all`] : lines
}

/** The results of a job: the counts of each circuit, or how many points it has. */
export function resultLines({ circuits }: Result): string[] {
  const [first] = circuits
  if (first && circuits.length === 1) return circuitLines(first)
  return circuits.flatMap((circuit, at) => titledLines(circuit, at))
}

/** The results of circuits of a job that has not completed, in the order of the job. */
export function partialLines({ circuits, progress }: PartialResults): string[] {
  const found = [...circuits].toSorted(([one], [other]) => one - other)
  const done = progress > 0 ? `; the job has done ${percent(progress)}` : ''
  const lines = found.flatMap(([at, circuit]) => titledLines(circuit, at))
  return [`Incomplete: results of ${found.length} circuit${found.length === 1 ? '' : 's'}${done}`, ...lines]
}

function titledLines(circuit: CircuitResult, at: number): string[] {
  const title = `Circuit ${at}${circuit.name === '' ? '' : ` ${plain(circuit.name)}`}:`
  return [title, ...circuitLines(circuit)]
}

function circuitLines(circuit: CircuitResult): string[] {
  const { discardedShots, shots, expectationValues, raw } = circuit
  if (expectationValues) return expectationValues.map((value) => `  ${value}`)
  if (raw.probabilities) return probabilityLines(circuit.probabilities())
  if (raw.counts === undefined && !raw.counts_omitted)
    return ['  no counts: measured at another level than 2; --json prints the values']
  const discarded = `  ${discardedShots} of ${shots} shots discarded by the device`
  return [...countLines(circuit.counts), ...(discardedShots === 0 ? [] : [discarded])]
}

/** The state of a job in a line, with what it waits for. */
export function stateOf(job: Job): string {
  const { status, progress, waiting, queuePosition, estimatedStart, giveUpAt, started } = job
  if (status === 'running') {
    const done = progress > 0 ? `, ${percent(progress)} done` : ''
    return `${started ? `running since ${localTime(started)}` : status}${done}`
  }
  if (status !== 'pending') return status
  const times = [
    ...(waiting?.since ? [`since ${localTime(new Date(waiting.since))}`] : []),
    ...(waiting?.until ? [`until ${localTime(new Date(waiting.until))}`] : []),
  ]
  return [
    waiting ? `pending: ${plain(waiting.text)}` : 'pending',
    ...times,
    ...(queuePosition === undefined ? [] : [`position ${queuePosition}`]),
    ...(estimatedStart ? [`starts about ${localTime(estimatedStart.from)}`] : []),
    ...(giveUpAt ? [`fails if it still waits at ${localTime(giveUpAt)}`] : []),
  ].join(', ')
}

/** A part of a whole, in whole percent: 100 % only for all of it. */
export function percent(part: number): string {
  return `${part < 1 ? Math.min(99, Math.round(part * 100)) : 100} %`
}

/** What is expected of a job, in a line. */
export function estimateLine({ qpu_seconds: run, charge, start, basis }: wire.JobEstimate): string {
  const BASES: Record<wire.JobEstimate['basis'], string> = {
    same_program: 'earlier runs of the same programs',
    recent_jobs: 'the latest jobs of the QPU',
    assumed: 'an assumption: the QPU has run too few jobs',
  }
  const seconds = ({ from, to }: wire.JobEstimate['charge']) =>
    `${shortSeconds(from)} to ${shortSeconds(to)} s`
  const [from, to] = start ? [start.from, start.to].map((time) => localTime(new Date(time))) : []
  const starts = from === undefined ? 'unknown' : from === to ? `at ${from}` : `from ${from} to ${to}`
  return `Expected: ${seconds(run)} of QPU time, charge ${seconds(charge)}, start ${starts} (by ${BASES[basis]})`
}

function shortSeconds(seconds: number): string {
  return String(Number(seconds.toPrecision(3)))
}

/** Name of the QPU that runs or ran a job or that it asks for; empty for any. */
export function qpuOf(raw: JobWire, names: ReadonlyMap<string, string>): string {
  const id = raw.qpu || raw.qpu_target
  return names.get(id) ?? id
}
