import { defineAttacks, type Target } from '../attack.ts'

const RESULTS = [200, 201, 304, 400, 401, 403, 404, 409, 429, 503]
const HOUR_MS = 3_600_000

const post = (target: Target, token: string | undefined, path: string, body: object) =>
  target.send({ path, token, body: JSON.stringify(body) })

/** Repetitions that fill the time ahead, and calendars that are read again and again. */
export const bookings = defineAttacks([
  {
    name: 'booking-repetitions',
    who: 'user',
    input: 'repetitions of as many weeks as can be booked, each of one minute, 20 at once',
    cap: '53 slots, 60 days ahead; 60 slots at once',
    width: 20,
    expect: RESULTS,
    prepare(target) {
      const { attackers } = target.seeded
      let number = 0
      return () => {
        number += 1
        const start = Date.now() + HOUR_MS + number * 60_000
        const [start_time, end_time] = [start, start + 60_000].map((ms) => new Date(ms).toISOString())
        const body = { start_time, end_time, weeks: 8, time_zone: 'Australia/Lord_Howe' }
        return post(target, attackers[number % attackers.length]?.token, '/api/bookings', body)
      }
    },
  },
  {
    name: 'calendar-reads',
    who: 'guest',
    input: 'one calendar and addresses that do not exist, 20 reads at once',
    cap: '10 reads of a calendar at once; 1,000 slots',
    width: 20,
    expect: RESULTS,
    async prepare(target) {
      const { text } = await post(target, target.seeded.attackers[0]?.token, '/api/calendar-feed', {})
      const { url = '' } = JSON.parse(text) as { url?: string }
      const path = URL.parse(url)?.pathname ?? '/api/calendar/none.ics'
      let number = 0
      return () => {
        number += 1
        return target.send({ path: number % 2 === 0 ? path : `/api/calendar/${number}.ics` })
      }
    },
  },
  {
    name: 'shared-reads',
    who: 'guest',
    input: 'one link to a job and links that do not exist, 20 reads at once',
    cap: 'requests of a guest',
    width: 20,
    expect: RESULTS,
    async prepare(target) {
      const token = target.seeded.attackers[0]?.token
      const { text } = await target.send({ path: '/api/jobs?limit=1&fields=id', token })
      const [job] = JSON.parse(text) as { id: string }[]
      const created = await post(target, token, '/api/shares', { kind: 'job', record: job?.id ?? '' })
      const { url = '' } = JSON.parse(created.text) as { url?: string }
      const secret = URL.parse(url)?.pathname.split('/').at(-1) ?? 'none'
      let number = 0
      return () => {
        number += 1
        return target.send({ path: `/api/shared/${number % 2 === 0 ? secret : number}` })
      }
    },
  },
])
