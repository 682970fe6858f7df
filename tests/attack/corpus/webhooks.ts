import { createServer, type Server } from 'node:net'
import { defineAttacks, type Target } from '../attack.ts'

const RESULTS = [200, 201, 202, 400, 401, 403, 404, 409, 429, 503]
const JOB = {
  circuits: [{ circuit: 'OPENQASM 3.0; qubit q; bit c; c = measure q;' }],
  shots: 1,
}

/** A receiver that accepts every connection and never responds. */
function openSilent(): Promise<Server> {
  const server = createServer(() => undefined)
  server.unref()
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

const register = (target: Target, token: string | undefined, url: string) =>
  target.send({ path: '/api/webhooks', token, body: JSON.stringify({ url, kinds: ['job.ended'] }) })

/** Addresses that the server must not reach, receivers that never respond, and many deliveries. */
export const webhooks = defineAttacks([
  {
    name: 'webhook-addresses',
    who: 'user',
    input: 'addresses of 1,000 characters in the networks of the server, 20 at once',
    cap: '1,000 characters; 20 changes at once',
    width: 20,
    expect: RESULTS,
    prepare(target) {
      const { attackers } = target.seeded
      let number = 0
      return () => {
        number += 1
        const url = `https://10.0.${number % 256}.1/${'x'.repeat(900)}`
        return register(target, attackers[number % attackers.length]?.token, url)
      }
    },
  },
  {
    name: 'webhook-names',
    who: 'user',
    input: 'names that do not exist, 20 at once',
    cap: '5 s for a look-up; 20 changes at once',
    width: 20,
    expect: RESULTS,
    prepare(target) {
      const { attackers } = target.seeded
      let number = 0
      return () => {
        number += 1
        const url = `https://n${number}.attack.invalid/`
        return register(target, attackers[number % attackers.length]?.token, url)
      }
    },
  },
  {
    name: 'webhook-silent-receivers',
    who: 'user',
    input: '10 webhooks per account to a receiver that never responds, with an event for each per job',
    cap: '10 webhooks; 4 attempts per user, 1,000 pending deliveries per webhook',
    width: 4,
    expect: RESULTS,
    async prepare(target) {
      const { attackers } = target.seeded
      const url = `https://127.0.0.1:${portOf(await openSilent())}/`
      for (const { token } of attackers) {
        for (let hook = 0; hook < 11; hook += 1) await register(target, token, url)
      }
      let number = 0
      return async () => {
        number += 1
        const token = attackers[number % attackers.length]?.token
        const { text } = await target.send({ path: '/api/jobs', token, body: JSON.stringify(JOB) })
        const id = /"id":"(\w+)"/.exec(text)?.[1]
        if (id !== undefined) await target.send({ method: 'POST', path: `/api/jobs/${id}/cancel`, token })
      }
    },
  },
  {
    name: 'webhook-tests',
    who: 'user',
    input: 'test deliveries and lists of 200 deliveries, 20 at once',
    cap: '20 test deliveries at once, 200 listed deliveries',
    width: 20,
    expect: RESULTS,
    async prepare(target) {
      const { attackers } = target.seeded
      const url = `https://127.0.0.1:${portOf(await openSilent())}/`
      const ids = await Promise.all(
        attackers.map(
          async ({ token }) => /"id":"(\w+)"/.exec((await register(target, token, url)).text)?.[1],
        ),
      )
      let number = 0
      return () => {
        number += 1
        const at = number % attackers.length
        const token = attackers[at]?.token
        const path = `/api/webhooks/${ids[at] ?? 'none'}`
        if (number % 2 === 0) return target.send({ method: 'POST', path: `${path}/test`, token })
        return target.send({ path: `${path}/deliveries?limit=200`, token })
      }
    },
  },
])
