import { defineAttacks, type Target } from '../attack.ts'

const RESULTS = [200, 201, 400, 401, 403, 404, 409, 429, 503]

/** Opens or joins the session of an attacker, one of those that let others run in between. */
async function start(target: Target, token: string | undefined, holder: object = {}): Promise<string> {
  const body = { qpu_target: target.seeded.qpu.name, seconds: 600, mode: 'batch', holder }
  const { text } = await target.send({ path: '/api/sessions', token, body: JSON.stringify(body) })
  return /"id":"(\w+)"/.exec(text)?.[1] ?? 'none'
}

/** Sessions that are opened, joined, extended, listed and waited for as often as possible. */
export const sessions = defineAttacks([
  {
    name: 'session-opening',
    who: 'user',
    input: 'sessions of each attacker that are opened and ended, 20 at once',
    cap: '60 sessions at once, then one per 2 s; 1 of a user on a QPU',
    width: 20,
    expect: RESULTS,
    prepare(target) {
      const { attackers } = target.seeded
      let number = 0
      return async () => {
        number += 1
        const token = attackers[number % attackers.length]?.token
        const id = await start(target, token)
        await target.send({ method: 'DELETE', path: `/api/sessions/${id}`, token })
      }
    },
  },
  {
    name: 'session-holders',
    who: 'user',
    input: 'one session with as many holders as it may have, each of which ends later, and lists of sessions',
    cap: '1,000 holders, 50 in a response; 200 sessions of a list',
    width: 20,
    expect: RESULTS,
    prepare(target) {
      const token = target.seeded.attackers[0]?.token
      let number = 0
      return async () => {
        number += 1
        const ends_at = new Date(Date.now() + 60_000 + number * 1_000).toISOString()
        await start(target, token, { kind: 'slurm', id: String(number), ends_at })
        await target.send({ path: '/api/sessions?limit=200', token })
      }
    },
  },
  {
    name: 'session-waits',
    who: 'user',
    input: '300 requests of one user that wait 60 s for a session which gets holders meanwhile',
    cap: '250 waiting requests of an account, 60 s',
    width: 300,
    expect: [...RESULTS, 0],
    async prepare(target) {
      const token = target.seeded.attackers[0]?.token
      const id = await start(target, token)
      let number = 0
      return async () => {
        number += 1
        if (number % 10 === 0) await start(target, token, { kind: 'slurm', id: `${number}` })
        else await target.send({ path: `/api/sessions/${id}?wait=60&state=active`, token })
      }
    },
  },
  {
    name: 'session-extensions',
    who: 'user',
    input: 'one session that is extended again and again, 20 at once',
    cap: '60 changes at once, then one per 2 s; 8 h',
    width: 20,
    expect: RESULTS,
    async prepare(target) {
      const token = target.seeded.attackers[0]?.token
      const id = await start(target, token)
      let number = 0
      return () => {
        number += 1
        const body = JSON.stringify({ seconds: 600 + (number % 28_000) })
        return target.send({ method: 'PATCH', path: `/api/sessions/${id}`, token, body })
      }
    },
  },
])
