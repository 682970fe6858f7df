import * as v from 'valibot'
import { DAY_MS, toTimestamp } from '../../base/index.ts'
import { type DayOfQpu, listQpus, utilizationStatement } from '../../db/store/qpus/index.ts'
import { readingOf } from '../http/reading.ts'
import { whole } from '../http/request/list-query.ts'
import { defineRoute, type Route } from '../http/route.ts'
import { described, shape } from '../http/schema.ts'

const MAX_DAYS = 31
const MAX_QPUS = 100

const day = shape('UtilizationDay', {
  day: described(v.string(), 'UTC, such as 2026-11-28'),
  jobs: v.number(),
  qpu_seconds: v.number(),
  share: described(v.number(), 'Share of the time of the day, today of the time until now'),
})

/** How busy jobs kept the QPUs. A job counts whole on the day on which it ended. */
export const utilizationRoute: Route = defineRoute('GET /api/op/utilization', {
  access: 'superuser',
  isOperation: true,
  summary: 'List the execution time of completed jobs that are stored by QPU and day (UTC)',
  query: v.object({
    days: v.optional(whole(1, MAX_DAYS), '14'),
    skip: described(
      v.optional(whole(0, Number.MAX_SAFE_INTEGER), '0'),
      `QPUs by name that are left out; ${MAX_QPUS} are listed`,
    ),
  }),
  response: v.object({
    qpus: v.array(v.object({ id: v.string(), name: v.string(), days: v.array(day) })),
  }),
  async run({ db, clock }, { caller, address, query, ...call }) {
    const now = clock.now()
    const today = Math.floor(now / DAY_MS) * DAY_MS
    const starts = Array.from({ length: query.days }, (_, at) => today - (query.days - 1 - at) * DAY_MS)
    const [first = today] = starts
    const qpus = await listQpus(db, { skip: query.skip, limit: MAX_QPUS, sort: 'name' })
    const rows = utilizationStatement(db, { qpus: qpus.map(({ id }) => id), from: toTimestamp(first) })
    const found = (await db.select({ rows }, readingOf(caller, address, call))).rows as unknown as DayOfQpu[]
    const byKey = new Map(found.map((row) => [`${row.qpu} ${row.day}`, row]))
    const present = (qpu: string, start: number) => {
      const day = toTimestamp(start).slice(0, 10)
      const { jobs, seconds } = byKey.get(`${qpu} ${day}`) ?? { jobs: 0, seconds: 0 }
      const length = start === today ? Math.max(now - today, 1) : DAY_MS
      return { day, jobs, qpu_seconds: seconds, share: (seconds * 1_000) / length }
    }
    return {
      qpus: qpus.map(({ id, name }) => ({ id, name, days: starts.map((start) => present(id, start)) })),
    }
  },
})
