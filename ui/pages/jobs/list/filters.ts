import { HOUR_MS, MINUTE_MS } from '../../../../src/base/portable/units.ts'
import type { Job } from '../../../api/model/jobs.ts'
import type { Query } from '../../../app/use-query.ts'
import { dateIn, shiftDate, startOfDate } from '../../../lib/zone.ts'

/** Periods by which the list can be limited, as in its address. */
export const PERIODS = [
  { id: '1h', title: 'Last hour', hours: 1 },
  { id: '24h', title: 'Last 24 hours', hours: 24 },
  { id: '7d', title: 'Last 7 days', hours: 168 },
  { id: '30d', title: 'Last 30 days', hours: 720 },
] as const

export const STATUSES = [
  { id: 'pending', title: 'Pending' },
  { id: 'running', title: 'Running' },
  { id: 'pending,running', title: 'Not ended' },
  { id: 'completed', title: 'Completed' },
  { id: 'failed', title: 'Failed' },
  { id: 'cancelled', title: 'Cancelled' },
] as const

/** Days by which the list can be limited, as in its address: their distance from today. */
export const DAYS = [
  { id: 'today', title: 'Today', from: 0, to: 1 },
  { id: 'yesterday', title: 'Yesterday', from: -1, to: 0 },
] as const

/** Names of the query parameters that filter the list. */
export const FILTERS = ['q', 'status', 'qpu', 'tag', 'calibration', 'recalled', 'from', 'to'] as const

/** Where and when the caller reads the list. */
interface Reader {
  isSuperuser: boolean
  nowMs: number
  /** In which days begin. */
  zone: string
}

/** Fields of a row. Programs and results, which may be large, are not among them. */
const FIELDS =
  'id,name,tags,user_id,status,held,shots,qpu_target,qpu,created,started_at,finished_at,duration,attempt,recalled'

/** The filters of the address as parameters of `GET /api/jobs`. */
export function requestFilters(query: Pick<Query, 'get'>, { isSuperuser, nowMs, zone }: Reader): string {
  const given = new URLSearchParams()
  const set = (name: string, value: string | undefined) => {
    if (value) given.set(name, value)
  }
  set('text', query.get('q').trim())
  set('status', STATUSES.find(({ id }) => id === query.get('status'))?.id)
  set('qpu', query.get('qpu'))
  set('tag', query.get('tag'))
  set('calibration', /^[0-9a-z]{15}$/.exec(query.get('calibration'))?.[0])
  set('recalled', /^(true|false)$/.exec(query.get('recalled'))?.[0])
  const day = DAYS.find(({ id }) => id === query.get('from'))
  const today = dateIn(nowMs, zone)
  set(
    'created_from',
    day ? startOf(shiftDate(today, day.from), nowMs, zone) : startOf(query.get('from'), nowMs, zone),
  )
  set('created_to', startOf(day ? shiftDate(today, day.to) : query.get('to'), nowMs, zone))
  if (isSuperuser) set('user', query.get('user') === 'me' ? '' : query.get('user') || '*')
  return given.toString()
}

/** Whether a job belongs to the list with these parameters, apart from those about what never changes. */
export function isListed(
  {
    id,
    name,
    tags,
    status,
    qpu,
    qpu_target,
  }: Pick<Job, 'id' | 'name' | 'tags' | 'status' | 'qpu' | 'qpu_target'>,
  filters: URLSearchParams,
  qpus: readonly { id: string; name: string }[],
): boolean {
  const get = (key: string) => filters.get(key) ?? ''
  const wanted = get('qpu')
  const qpuId = qpus.find((each) => each.name === wanted || each.id === wanted)?.id ?? wanted
  const text = get('text').toLowerCase()
  return (
    (get('status') === '' || get('status').split(',').includes(status)) &&
    (wanted === '' || (qpu || qpu_target) === qpuId) &&
    (get('tag') === '' || (tags ?? []).includes(get('tag'))) &&
    [id, name, ...(tags ?? [])].some((each) => each?.toLowerCase().includes(text))
  )
}

/** The order of the list in its address: by submission, the newest first by default. */
export function orderOf(query: Pick<Query, 'get'>): 'created' | '-created' {
  return query.get('sort') === 'created' ? 'created' : '-created'
}

/** Parameters of one page. */
export function pageParameters(filters: string, sort: string, skip: number, limit: number): string {
  return `${filters && `${filters}&`}sort=${sort}&skip=${skip}&limit=${limit}&fields=${FIELDS}`
}

/** The start of a period, to the minute, or of a date in the zone; undefined for all time. */
function startOf(from: string, nowMs: number, zone: string): string | undefined {
  const hours = PERIODS.find(({ id }) => id === from)?.hours
  const ms =
    hours === undefined
      ? startOfDate(from, zone)
      : Math.floor(nowMs / MINUTE_MS) * MINUTE_MS - hours * HOUR_MS
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
