import { quantumJobs } from '../collections/quantum_jobs.ts'
import type { Dialect } from '../engine/dialect.ts'
import { type Bindable, quoted } from '../engine/sql.ts'
import { lengthOf } from '../records/page-size.ts'
import { touchSql } from '../schema/internal/recall-touch.ts'
import type { Unread } from '../schema/large-values.ts'
import { entriesTableOf } from '../schema/lists/list-entries.ts'
import { MAX_PASSED } from './access-path.ts'
import type { ListPlan } from './list-plan.ts'

/** Which of a user's jobs to list; all conditions apply together. */
export interface OwnJobsFilter {
  /** One of these. */
  status?: readonly string[] | undefined
  /** Id of the QPU that ran the job or, before it has run, of its target. */
  qpu?: string | undefined
  /** Id of the requested QPU; '' = any. */
  qpuTarget?: string | undefined
  tag?: string | undefined
  /** Id of a calibration report that was in force when the last attempt began or ended. */
  calibration?: string | undefined
  /** Whether only jobs whose results are recalled, or only others. */
  recalled?: boolean | undefined
  /** Id of a job: only those submitted before it. */
  before?: string | undefined
  /** Stored times; `createdTo` itself is excluded. */
  createdFrom?: string | undefined
  createdTo?: string | undefined
  /** Text that the id, the name or the tags contain, in upper or lower case of any letters. */
  text?: string | undefined
}

interface OwnJobsPage {
  skip: number
  limit: number
  sort: string
  filter?: OwnJobsFilter
  /** Large fields that the response does not need. */
  without?: Unread
  /** Whether to count all jobs of the list. */
  isCounted?: boolean
}

/**
 * How to read the ids of a page of a user's jobs, or of everybody's without a user. `sort` is a declared
 * field, descending with a leading `-`; `created` is the order of submission. In that order, the
 * sizes of the jobs are read with their ids: looking them up later takes twice as long.
 */
export function planOwnJobs(
  { dialect }: { readonly dialect: Dialect },
  user: string | undefined,
  { skip, limit, sort, filter = {}, without = {}, isCounted = false }: OwnJobsPage,
): ListPlan {
  const field = sort.replace(/^-/, '')
  const direction = sort.startsWith('-') ? ' DESC' : ''
  // `seq` is the order of submission, like `created`, but it is unaffected by clock jumps.
  const isBySubmission = field === 'created'
  if (!isBySubmission && !Object.hasOwn(quantumJobs.fields, field) && field !== 'updated') {
    throw new TypeError(`${quantumJobs.name} has no field "${field}"`)
  }
  const order = isBySubmission ? '' : `job.${quoted(field)}${direction}, `
  const { conditions, params } = conditionsOf(dialect, filter)
  if (user !== undefined) params['user'] = user
  const from = sourceOf(dialect, user, filter)
  const source = `FROM ${[from.source, ...conditions].join(' AND ')}`
  const length = lengthOf(quantumJobs, without)
  const bytes = isBySubmission && length !== '' ? `, ${length} AS bytes` : ''
  return {
    collection: quantumJobs,
    page: 1,
    perPage: limit,
    skipTotal: !isCounted,
    ids: {
      sql: `SELECT job.id AS id${bytes} ${source}
        ORDER BY ${order}${from.seq}${direction} LIMIT $page_limit OFFSET $page_offset`,
      params: { ...params, page_limit: limit, page_offset: skip },
      perPage: limit,
      offset: skip,
    },
    count: isCounted ? { sql: `SELECT count(*) AS n ${source}`, params } : undefined,
    isIndexed: isBySubmission && isFoundInOrder(user, filter) && skip + limit <= MAX_PASSED,
    isLight: true,
    // SQLite may read an index of another sort, with the jobs of everybody.
    owner: isBySubmission ? user : undefined,
  }
}

function sourceOf(
  dialect: Dialect,
  user: string | undefined,
  { tag, calibration }: OwnJobsFilter,
): { source: string; seq: string } {
  if (tag !== undefined) {
    const owned = user === undefined ? 'tagged.entry = $tag' : 'tagged.user = $user AND tagged.entry = $tag'
    return { source: `${tagged(dialect)} WHERE ${owned}`, seq: 'tagged.seq' }
  }
  const own = calibration === undefined ? 'job.user_id' : dialect.unindexed('job.user_id')
  const owned = user === undefined ? 'true' : `${own} = $user`
  const jobs = calibration === undefined ? 'quantum_jobs job' : calibrated(dialect)
  return { source: `${jobs} WHERE ${owned}`, seq: 'job.seq' }
}

/** What jobs of a calibration ran with, of which there is a row for thousands of jobs. */
const KNOWN =
  'SELECT id AS number FROM job_provenance WHERE report = $calibration OR report_after = $calibration'
const calibrated = ({ joinInOrder }: Dialect) => `(${KNOWN}) known ${joinInOrder} quantum_jobs job
  ON job.provenance = known.number AND job.provenance > 0`

const tagged = ({ joinInOrder }: Dialect) =>
  `${quoted(entriesTableOf(quantumJobs, 'tags'))} tagged ${joinInOrder} quantum_jobs job ON job.seq = tagged.seq`

/** The number of the given job or, after its removal, the greatest one of the jobs created before. */
const BEFORE = `coalesce((SELECT seq FROM quantum_jobs WHERE id = $before),
  (SELECT seq + 1 FROM quantum_jobs WHERE id < $before ORDER BY id DESC LIMIT 1), 0)`

/** There are few recalls; those of a QPU are looked up for each job. */
const RECALLED = `EXISTS (SELECT 1 FROM recalls recall WHERE recall.undone_at = '' AND ${touchSql('job', 'recall')})`

/** `unindexed` keeps SQLite from an index that would need sorting. */
function conditionsOf(
  dialect: Dialect,
  filter: OwnJobsFilter,
): { conditions: string[]; params: Record<string, Bindable> } {
  const { unindexed } = dialect
  const { status, qpu, qpuTarget, tag, calibration, recalled, before, createdFrom, createdTo, text } = filter
  const params: Record<string, Bindable> = {}
  const conditions: string[] = []
  const add = (condition: string, values: Record<string, Bindable>) => {
    conditions.push(condition)
    Object.assign(params, values)
  }
  const bind = (name: string, value: string | undefined, condition: string) => {
    if (value !== undefined) add(condition, { [name]: value })
  }
  const [only, ...others] = status ?? []
  const isRare = others.length === 0 && only !== undefined && calibration === undefined
  const rare = isRare ? RARE[only] : undefined
  if (rare !== undefined) {
    conditions.push(rare)
  } else if (status) {
    const names = Object.fromEntries(status.map((each, index) => [`status${index}`, each]))
    add(`${unindexed('job.status')} IN (${Object.keys(names).map((name) => `$${name}`)})`, names)
  }
  bind('qpu', qpu, "CASE WHEN job.qpu <> '' THEN job.qpu ELSE job.qpu_target END = $qpu")
  bind('target', qpuTarget, `${unindexed('job.qpu_target')} = $target`)
  if (recalled !== undefined) conditions.push(`${recalled ? '' : 'NOT '}${RECALLED}`)
  bind('before', before, `job.seq < ${BEFORE}`)
  bind('from', createdFrom, `${unindexed('job.created')} >= $from`)
  bind('to', createdTo, `${unindexed('job.created')} < $to`)
  if (text !== undefined) {
    const { letters, values } = foldingOf(text)
    add(`(${containsText(dialect, letters)})`, values)
  }
  if (tag !== undefined) params['tag'] = tag
  if (calibration !== undefined) params['calibration'] = calibration
  if (tag !== undefined && calibration !== undefined)
    conditions.push(`${unindexed('job.provenance')} IN (${KNOWN})`)
  return { conditions, params }
}

/**
 * Statuses that few jobs have, as conditions that are answered from an index: without it, a list would pass
 * over nearly all jobs. Literals, because a partial index serves no parameters.
 * Those that are pending or running are sorted, but the queue is bounded.
 */
const RARE: Readonly<Record<string, string>> = {
  pending: "job.status = 'pending'",
  running: "job.status = 'running'",
  failed: "job.status = 'failed'",
  cancelled: "job.status = 'cancelled'",
}

/**
 * What a search binds: the text in lower case, and its letters beyond A to Z, which `lower` of a database may
 * leave as they are, each with its lower case. Letter by letter: a whole text may become another one.
 */
function foldingOf(text: string): { letters: number; values: Record<string, Bindable> } {
  const pairs = [...new Set(text)]
    .flatMap((letter) => [letter, letter.toUpperCase()].map((from) => ({ from, to: letter.toLowerCase() })))
    .filter(({ from, to }) => from > '\u007f' && [...from].length === 1 && from !== to)
  const values = pairs.flatMap(({ from, to }, at) => [
    [`from${at}`, from],
    [`to${at}`, to],
  ])
  const folded = Array.from(text, (letter) => letter.toLowerCase()).join('')
  return { letters: pairs.length, values: { text: folded, ...Object.fromEntries(values) } }
}

/** `coalesce`: jobs submitted before there were tags have none. */
function containsText({ contains, jsonItems }: Dialect, letters: number): string {
  const fold = (text: string) =>
    Array.from({ length: letters }).reduce<string>(
      (sql, _, at) => `replace(${sql}, $from${at}, $to${at})`,
      `lower(${text})`,
    )
  const has = (text: string) => contains(text, '$text')
  const tags = jsonItems("coalesce(job.tags, '[]')")
  return `${has('job.id')} OR ${has(fold('job.name'))}
    OR EXISTS (SELECT 1 FROM ${tags} tag WHERE ${has(fold('tag."value"'))})`
}

/** Whether an index finds the jobs in the order of submission, and no others. */
function isFoundInOrder(
  user: string | undefined,
  { before, tag, status, ...others }: OwnJobsFilter,
): boolean {
  if (Object.values(others).some((value) => value !== undefined)) return false
  // The index of jobs with a rare status has those that have ended only.
  const isEnded = status?.length === 1 && (status[0] === 'failed' || status[0] === 'cancelled')
  if (tag === undefined) return status === undefined || isEnded
  // A page that begins after a job would pass over the later ones with the tag.
  return user !== undefined && status === undefined && before === undefined
}
