import { type Attack, defineAttacks, type Target } from '../attack.ts'

const JOBS = '/api/collections/quantum_jobs/records'
const EVENTS = '/api/collections/events/records'
/** Either the page, or a refusal that names the remedy. */
const SERVED_OR_REFUSED = [200, 400, 403, 413, 429, 503]
const PATTERN_CHARACTERS = 3_400
const TERMS = 20

interface ListAttack {
  name: string
  input: string
  cap: string
  who?: 'guest' | 'user'
  path?: string
  finding?: number
  query: (target: Target) => Record<string, string>
  width?: number
  /** Number of addresses that it is sent from; 1 unless given. */
  addresses?: number
}

function list({
  name,
  input,
  cap,
  who = 'guest',
  path = JOBS,
  finding,
  query,
  width = 1,
  addresses = 1,
}: ListAttack): Attack {
  return {
    ...{ name, who, input, cap, width, expect: SERVED_OR_REFUSED },
    ...(finding === undefined ? {} : { finding }),
    prepare(target) {
      const token = who === 'user' ? target.seeded.attackers[0]?.token : undefined
      const search = new URLSearchParams(query(target))
      let number = 0
      return () => target.send({ path: `${path}?${search}`, token, from: number++ % addresses })
    },
  }
}

const terms = (count: number, term: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => term(at))
const either = (count: number, term: (at: number) => string) => terms(count, term).join(' || ')

/** Filters, sorts, expands, totals and pages of the record store. */
export const lists = defineAttacks([
  list({
    name: 'own-jobs-filters',
    input: 'own jobs by every filter, of which none matches',
    cap: 'one index of the user, in a reader process above 5,000 jobs',
    who: 'user',
    path: '/api/jobs',
    query: () => ({
      ...{
        status: 'failed,cancelled',
        before: 'zzzzzzzzzzzzzzz',
        created_from: '2020-01-01',
        tag: 'nowhere',
      },
      ...{ created_to: '2020-01-02', qpu: '000000000000000', qpu_target: '000000000000000', limit: '1000' },
    }),
  }),
  // What `joined-reads-lists` is compared with.
  list({
    name: 'single-lists',
    input: 'lists of 100 own jobs, 24 at once',
    cap: 'requests of a user',
    who: 'user',
    path: '/api/jobs',
    query: () => ({ limit: '100', omit: 'payload,results,error' }),
    width: 24,
  }),
  list({
    name: 'like-payload-short',
    input: '`payload ~ "…"` with one word',
    cap: 'programs are searched for their owner only',
    finding: 2,
    query: () => ({ filter: 'payload ~ "nowhere"', perPage: '1' }),
  }),
  list({
    name: 'like-payload',
    input: '`payload ~ "…"` with a pattern of 3,400 characters that nearly matches',
    cap: '250 characters, 8 wildcards; results for their owner only',
    finding: 2,
    query: () => ({ filter: `payload ~ "${'h q[0];%'.repeat(PATTERN_CHARACTERS / 8)}x"`, skipTotal: 'true' }),
  }),
  list({
    name: 'like-results',
    input: '`results ~ "…"` with a pattern of 3,400 letters',
    cap: '250 characters, 8 wildcards; results for their owner only',
    finding: 2,
    query: () => ({ filter: `results ~ "${'a'.repeat(PATTERN_CHARACTERS)}b"`, skipTotal: 'true' }),
  }),
  list({
    name: 'like-results-own',
    input: 'the same on own jobs',
    cap: '250 characters, 8 wildcards; results for their owner only',
    who: 'user',
    finding: 2,
    query: ({ seeded }) => ({
      filter: `user_id = "${seeded.attackers[0]?.id}" && results ~ "${'a'.repeat(3_300)}b"`,
      skipTotal: 'true',
    }),
  }),
  list({
    name: 'like-wildcards',
    input: '`results ~ "%a%a…"` with 1,600 wildcards on own jobs',
    cap: '250 characters, 8 wildcards; results for their owner only',
    who: 'user',
    finding: 2,
    query: ({ seeded }) => ({
      filter: `user_id = "${seeded.attackers[0]?.id}" && results ~ "${'%a'.repeat(1_600)}%b%"`,
      skipTotal: 'true',
    }),
  }),
  list({
    name: 'like-at-cap',
    input: 'four texts of 249 characters with 8 wildcards each, on own jobs',
    cap: '250 characters, 8 wildcards, 1,000 characters in all',
    who: 'user',
    finding: 2,
    query: ({ seeded }) => ({
      filter: `user_id = "${seeded.attackers[0]?.id}" && (${either(4, (at) => `results ~ "${'%aaa'.repeat(7)}%${'a'.repeat(218)}b${at}"`)})`,
      skipTotal: 'true',
    }),
  }),
  list({
    name: 'like-terms',
    input: '20 terms `payload ~ "…"`',
    cap: '8 comparisons of programs and results',
    finding: 2,
    query: () => ({
      filter: either(TERMS, (at) => `payload ~ "${'q'.repeat(100)}${at}"`),
      skipTotal: 'true',
    }),
  }),
  list({
    name: 'like-report',
    input: '`routines ~ "…"` on a report of 15 MB',
    cap: '250 characters, 8 wildcards; results for their owner only',
    who: 'user',
    path: '/api/collections/calibration_results/records',
    finding: 2,
    query: () => ({ filter: `routines ~ "${'r'.repeat(3_000)}s"` }),
  }),
  list({
    name: 'equal-payload',
    input: '200 comparisons of `payload`',
    cap: '200 comparisons',
    finding: 2,
    query: () => ({ filter: either(200, (at) => `payload="${at}"`), skipTotal: 'true' }),
  }),
  list({
    name: 'large-comparisons-at-cap',
    input: '8 comparisons of `payload` and `results` of own jobs with 9 MB each',
    cap: '8 comparisons, for the owner only',
    who: 'user',
    finding: 2,
    query: ({ seeded }) => ({
      filter: `user_id = "${seeded.attackers[0]?.id}" && (${either(4, (at) => `payload = "${at}" || results = "${at}"`)})`,
      fields: 'id',
      skipTotal: 'true',
    }),
  }),
  list({
    name: 'sort-payload',
    input: '`sort=payload,results`',
    cap: 'no sort by programs or results',
    finding: 2,
    query: () => ({ sort: 'payload,results', perPage: '1', skipTotal: 'true' }),
  }),
  list({
    name: 'sort-unindexed',
    input: 'eight sort keys without an index',
    cap: '8 sort keys',
    query: () => ({
      sort: 'duration,attempt,-started_at,error_code,driver,held,finished_at,id',
      perPage: '1000',
      fields: 'id',
    }),
  }),
  list({
    name: 'filter-unindexed-events',
    input: 'a filter without an index over all events',
    cap: '2 s of a list',
    who: 'user',
    path: EVENTS,
    finding: 7,
    query: () => ({ filter: 'payload ~ "not in any event"', skipTotal: 'true' }),
  }),
  list({
    name: 'filter-unindexed-jobs',
    input: '200 comparisons without an index over all jobs',
    cap: '200 comparisons',
    finding: 7,
    query: () => ({ filter: either(200, (at) => `duration=${at + 2}`), skipTotal: 'true' }),
  }),
  list({
    name: 'filter-json-path',
    input: 'comparisons of a path in `payload` of each job',
    cap: 'programs are searched for their owner only',
    query: () => ({ filter: either(20, (at) => `payload.shots=${at + 1_000}`), skipTotal: 'true' }),
  }),
  list({
    name: 'filter-brackets',
    input: '32 brackets around 150 comparisons',
    cap: '32 brackets',
    query: () => ({
      filter: `${'('.repeat(32)}${either(150, (at) => `attempt=${at + 7}`)}${')'.repeat(32)}`,
      skipTotal: 'true',
    }),
  }),
  list({
    name: 'page-deep',
    input: 'the page two million rows down',
    cap: '2 s of a list',
    who: 'user',
    path: EVENTS,
    finding: 7,
    query: ({ seeded }) => ({ page: String(Math.floor((seeded.events * 2) / 3 / 30)), skipTotal: 'true' }),
  }),
  list({
    name: 'page-last',
    input: 'page 9,007,199,254,740',
    cap: '2 s of a list',
    path: JOBS,
    finding: 7,
    query: () => ({ page: '9007199254740', perPage: '1000', skipTotal: 'true' }),
  }),
  list({
    name: 'totals',
    input: '20 totals of all events at once',
    cap: '1 list running and 20 waiting per caller',
    who: 'user',
    path: EVENTS,
    width: 20,
    finding: 7,
    query: () => ({ perPage: '1', fields: 'id' }),
  }),
  list({
    name: 'totals-filtered',
    input: '20 totals of a filter without an index at once',
    cap: '1 list running and 20 waiting per caller',
    width: 20,
    query: () => ({ filter: 'duration > 0.001', perPage: '1', fields: 'id' }),
  }),
  list({
    name: 'expand-deep',
    input: '`expand` six levels deep from 1,000 jobs',
    cap: '6 levels, 2,000 different records per 100',
    who: 'user',
    query: () => ({
      perPage: '1000',
      fields: 'id',
      skipTotal: 'true',
      expand: 'qpu_target.drivers_via_qpu.qpu.drivers_via_qpu.qpu.drivers_via_qpu,user_id,driver',
    }),
  }),
  list({
    name: 'expand-back',
    input: '`expand` of a back relation with a million records, with programs and results',
    cap: '1,000 records, 2 MiB of programs and results',
    who: 'user',
    path: '/api/collections/qpus/records',
    query: () => ({
      expand:
        'quantum_jobs_via_qpu_target,quantum_jobs_via_qpu_target.qpu_target.quantum_jobs_via_qpu_target',
    }),
  }),
  list({
    name: 'expand-back-events',
    input: '`expand` of the events of a QPU, twice',
    cap: '1,000 records of a back relation, 2,000 different ones',
    who: 'user',
    path: '/api/collections/qpus/records',
    query: () => ({ expand: 'events_via_qpu,events_via_qpu.qpu.events_via_qpu' }),
  }),
  list({
    name: 'expand-names',
    input: '`expand` with 50 names',
    cap: '50 names',
    who: 'user',
    query: () => ({
      perPage: '1000',
      skipTotal: 'true',
      fields: 'id',
      expand: terms(50, (at) => `name${at}`).join(','),
    }),
  }),
  list({
    name: 'fields-many',
    input: '`fields` of 3,500 characters on 1,000 records',
    cap: '3,500 characters',
    query: () => ({
      perPage: '1000',
      skipTotal: 'true',
      fields: terms(700, (at) => `a${at % 99}.b`)
        .join(',')
        .slice(0, 3_500),
    }),
  }),
  list({
    name: 'page-of-1000',
    input: '1,000 records with programs and results, 5 at a time',
    cap: '1,000 records, 2 MiB of programs and results',
    width: 5,
    query: () => ({ perPage: '1000', sort: '-created', skipTotal: 'true' }),
  }),
  list({
    name: 'filter-back-relation',
    input: 'a filter by a back relation of all jobs',
    cap: '2 s of a list',
    who: 'user',
    path: '/api/collections/qpus/records',
    query: () => ({ filter: 'quantum_jobs_via_qpu_target.duration ?> 100' }),
  }),
  list({
    name: 'reads-many-addresses',
    input: 'filters without an index from 60 addresses at once',
    cap: '1 read running and 20 waiting per address, 200 in all',
    width: 60,
    addresses: 60,
    query: () => ({ filter: 'error_code ~ "nowhere"', perPage: '1', skipTotal: 'true' }),
  }),
  list({
    name: 'filter-concurrent',
    input: '20 filters without an index at once',
    cap: '1 list running and 20 waiting per caller',
    width: 20,
    query: () => ({ filter: 'error_code ~ "nowhere"', perPage: '1', skipTotal: 'true' }),
  }),
  list({
    name: 'schedule-ticks',
    input: 'the times of all jobs of 62 days, 20 at once',
    cap: '2,000 ticks',
    path: '/api/schedule',
    query: () => {
      const from = new Date(Date.now() - 61 * 86_400_000).toISOString()
      return { from, to: new Date().toISOString(), ticks: '500' }
    },
    width: 20,
    addresses: 20,
  }),
  list({
    name: 'qpu-list',
    input: 'all QPUs behind 20,000 queued jobs, 20 at once',
    cap: '1,000 counted jobs per QPU',
    path: '/api/qpus',
    query: () => ({ limit: '1000' }),
    width: 20,
    addresses: 20,
  }),
  list({
    name: 'qpu-queue',
    input: 'the queue of a QPU behind 20,000 queued jobs, 20 at once',
    cap: '100 jobs',
    path: '/api/qpus/attacked/queue',
    query: () => ({ limit: '100', omit: 'payload,results,error' }),
    width: 20,
    addresses: 20,
  }),
  list({
    name: 'own-jobs-text',
    input: 'own jobs and their number by a text that none contains, 20 at once',
    cap: '1 list running and 20 waiting per caller',
    who: 'user',
    path: '/api/jobs/count',
    query: () => ({ text: 'nowhere' }),
    width: 20,
  }),
  list({
    name: 'ledger',
    input: 'the own ledger, 50 pages at once',
    cap: '200 entries per page, by an index',
    who: 'user',
    path: '/api/ledger',
    query: () => ({ limit: '200' }),
    width: 50,
  }),
  list({
    name: 'accounting',
    input: 'all months as a file, 20 at once',
    cap: '120 months',
    who: 'user',
    path: '/api/accounting',
    query: () => ({ from: '2020-01', to: '2029-12', format: 'csv' }),
    width: 20,
  }),
])
