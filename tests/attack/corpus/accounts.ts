import { type Account, type Attack, defineAttacks, type Seeded, type Target } from '../attack.ts'

const USERS = '/api/collections/users'
const firstAttacker = ({ attackers }: Seeded) => attackers[0]
const RESULTS = [200, 201, 204, 303, 307, 400, 401, 403, 404, 409, 413, 422, 429, 503]

interface CallAttack {
  name: string
  input: string
  cap: string
  who?: 'guest' | 'user'
  width?: number
  /** Sends as this account instead of one attacker after the other. */
  as?: (seeded: Seeded) => Account | undefined
  call: (target: Target, number: number) => { path: string; body?: unknown }
  headers?: Record<string, string>
  /** Number of addresses that it is sent from; 1 unless given. */
  addresses?: number
}

function calls({
  name,
  input,
  cap,
  who = 'guest',
  width = 1,
  as,
  call,
  headers = {},
  addresses = 1,
}: CallAttack): Attack {
  return {
    ...{ name, who, input, cap, width, expect: RESULTS },
    prepare(target) {
      let number = 0
      const { attackers } = target.seeded
      return () => {
        const { path, body } = call(target, number)
        const account = as?.(target.seeded) ?? attackers[number % attackers.length]
        const token = who === 'user' ? account?.token : undefined
        const from = number % addresses
        number += 1
        if (body === undefined) return target.send({ path, token, from, headers })
        const text = typeof body === 'string' ? body : JSON.stringify(body)
        return target.send({ path, token, from, headers, body: text })
      }
    },
  }
}

/** Logins, sign-ups, mailed links, and reads of large records by many. */
export const accounts = defineAttacks([
  calls({
    name: 'login-one-account',
    input: '50 logins of one account at once',
    cap: '10 failed logins at once, hashes on all cores but one, 4 at most',
    width: 50,
    call: () => ({
      path: `${USERS}/auth-with-password`,
      body: { identity: 'other0@attack.example.org', password: 'wrong password' },
    }),
  }),
  calls({
    name: 'login-many-accounts',
    input: '50 logins of different accounts at once',
    cap: 'hashes on all cores but one, 4 at most',
    width: 50,
    call: (_, number) => ({
      path: `${USERS}/auth-with-password`,
      body: { identity: `user${number}@example.org`, password: `guess ${number}` },
    }),
  }),
  calls({
    name: 'login-many-addresses',
    input: '50 logins of different accounts from 50 addresses at once',
    cap: 'hashes on all cores but one, 4 at most',
    width: 50,
    addresses: 50,
    call: (_, number) => ({
      path: `${USERS}/auth-with-password`,
      body: { identity: `user${number}@example.org`, password: `guess ${number}` },
    }),
  }),
  calls({
    name: 'login-long-password',
    input: 'a password of 900 KB',
    cap: '255 characters',
    call: () => ({
      path: `${USERS}/auth-with-password`,
      body: { identity: 'other0@attack.example.org', password: 'p'.repeat(900_000) },
    }),
  }),
  calls({
    name: 'sign-up',
    input: '20 sign-ups at once',
    cap: '20 sign-ups at once',
    width: 20,
    call: (_, number) => ({
      path: `${USERS}/records`,
      body: {
        ...{ email: `new${number}@attack.example.org`, username: `new${number}` },
        ...{ password: 'a long password', passwordConfirm: 'a long password' },
      },
    }),
  }),
  calls({
    name: 'mailed-links',
    input: '20 requests for mailed links at once',
    cap: '20 requests per second',
    width: 20,
    call: (_, number) => ({
      path: `${USERS}/request-${number % 2 === 0 ? 'password-reset' : 'verification'}`,
      body: { email: `user${number}@example.org` },
    }),
  }),
  calls({
    name: 'confirm-links',
    input: '20 confirmations with forged tokens at once',
    cap: '20 requests per second',
    width: 20,
    call: (_, number) => ({
      path: `${USERS}/confirm-password-reset`,
      body: {
        token: `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(JSON.stringify({ id: `user${number}`, type: 'passwordReset' })).toString('base64url')}.x`,
        ...{ password: 'a long password', passwordConfirm: 'a long password' },
      },
    }),
  }),
  calls({
    name: 'email-regex',
    input: 'an address of 900 KB',
    cap: '254 characters',
    call: () => ({ path: `${USERS}/request-verification`, body: { email: `${'a.'.repeat(450_000)}@b` } }),
  }),
  calls({
    name: 'link-form',
    input: 'the form of a mailed link with 16 KB of names',
    cap: '16 KiB',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    call: () => ({
      path: '/api/account-links/password-reset',
      body: Array.from({ length: 2_000 }, (_, at) => `a${at}=`)
        .join('&')
        .slice(0, 16_000),
    }),
  }),
  calls({
    name: 'oauth2',
    input: '20 logins with forged codes at once',
    cap: '20 requests per second',
    width: 20,
    call: (_, number) => ({
      path: `${USERS}/auth-with-oauth2`,
      body: {
        provider: 'none',
        code: `code${number}`,
        codeVerifier: 'v'.repeat(100),
        redirectURL: 'http://localhost/',
      },
    }),
  }),
  calls({
    name: 'driver-connect',
    input: '20 connects with forged driver tokens at once',
    cap: '20 requests per second',
    width: 20,
    call: (_, number) => ({ path: '/api/op/drivers/connect', body: { token: `forged${number}` } }),
  }),
  calls({
    name: 'openapi',
    input: 'the API description, 20 at once',
    cap: '20 requests per second',
    width: 20,
    call: () => ({ path: '/api/openapi.json' }),
  }),
  calls({
    name: 'health-ready',
    input: '20 readiness checks at once',
    cap: '20 requests per second',
    width: 20,
    call: () => ({ path: '/api/health?ready=1' }),
  }),
  calls({
    name: 'view-large-programs',
    input: 'jobs with programs of 9 MB, 100 at once',
    cap: '10 MiB of a job',
    who: 'user',
    as: firstAttacker,
    width: 100,
    call: ({ seeded }, number) => ({ path: `/api/jobs/${seeded.largePrograms[number % 5]}` }),
  }),
  calls({
    name: 'receipts',
    input: 'receipts of jobs with results of 8 MiB, 20 at once',
    cap: '64 KiB of a program, SHA-256 of results',
    who: 'user',
    as: firstAttacker,
    width: 20,
    call: ({ seeded }, number) => ({ path: `/api/jobs/${seeded.largeResults[number % 5]}/receipt` }),
  }),
  calls({
    name: 'view-large-records',
    input: 'records with results of 8 MiB, 20 at once',
    cap: '8 MiB of a page',
    width: 20,
    call: ({ seeded }, number) => ({
      path: `/api/collections/quantum_jobs/records/${seeded.largeResults[number % 5]}`,
    }),
  }),
  calls({
    name: 'view-large-part',
    input: 'a part of results of 8 MiB, 20 at once',
    cap: '1 MiB of a value of which parts are selected',
    width: 20,
    call: ({ seeded }, number) => ({
      path: `/api/collections/quantum_jobs/records/${seeded.largeResults[number % 5]}?fields=results.counts`,
    }),
  }),
  calls({
    name: 'list-large',
    input: 'a page of own jobs with 40 MB of programs',
    cap: '8 MiB of a page',
    who: 'user',
    as: firstAttacker,
    width: 5,
    call: () => ({ path: '/api/jobs?limit=1000' }),
  }),
  calls({
    name: 'list-skip',
    input: '`skip=1000000` of own jobs',
    cap: '2 s of a list',
    who: 'user',
    // The owner of ten thousand jobs.
    as: ({ others }) => others[0],
    call: () => ({ path: '/api/jobs?skip=1000000&limit=1000' }),
  }),
  {
    ...{ name: 'queue-position', who: 'user', width: 20, expect: [200, 201, 409, 429, 503] },
    input: 'the position of a job behind 20,000 others, 20 at once',
    cap: '1,000 pending jobs per user',
    async prepare(target) {
      const token = target.seeded.attackers[0]?.token
      const body = JSON.stringify({ circuit: 'OPENQASM 3.0; qubit q;', shots: 1, qpu_target: 'idle' })
      const { text } = await target.send({ path: '/api/jobs', token, body })
      const { id } = JSON.parse(text) as { id: string }
      return () => target.send({ path: `/api/jobs/${id}`, token })
    },
  },
  calls({
    name: 'submit-many',
    input: '50 submissions at once',
    cap: '20 submissions per second',
    who: 'user',
    width: 50,
    call: () => ({ path: '/api/jobs', body: { circuit: 'OPENQASM 3.0; qubit q;', shots: 1 } }),
  }),
  calls({
    name: 'series',
    input: 'the readings of 30 days of a monitor, 10 at once',
    cap: '2,000 points of a series',
    who: 'user',
    width: 10,
    call: () => ({
      path: `/api/events/series?points=2000&driver=monitor00000000&from=${new Date(Date.now() - 30 * 86_400_000).toISOString()}`,
    }),
  }),
  calls({
    name: 'series-long',
    input: 'the readings of a hundred years',
    cap: '2,000 points of a series',
    who: 'user',
    call: () => ({
      path: '/api/events/series?points=2000&driver=monitor00000000&from=1970-01-01&to=2070-01-01',
    }),
  }),
  calls({
    name: 'tokens',
    input: '20 API tokens at once',
    cap: '100 requests per second',
    who: 'user',
    width: 20,
    call: (_, number) => ({ path: '/api/tokens', body: { name: `token ${number}` } }),
  }),
  calls({
    name: 'time-requests',
    input: '20 bookings at once',
    cap: '100 requests per second',
    who: 'user',
    width: 20,
    call: ({ seeded }, number) => ({
      path: '/api/collections/time_slots/records',
      body: {
        qpu: seeded.qpu.id,
        start_time: new Date(Date.now() + 86_400_000 + number * 7_200_000).toISOString(),
        end_time: new Date(Date.now() + 86_400_000 + number * 7_200_000 + 3_600_000).toISOString(),
      },
    }),
  }),
  calls({
    name: 'superuser-routes',
    input:
      '20 requests of a user to the routes of superusers at once: logs, audit log, restore with a large body',
    cap: 'refused before the body is read',
    who: 'user',
    width: 20,
    call: (_, number) =>
      [
        { path: `/api/op/logs?level=debug&limit=1000&text=${'x'.repeat(200)}` },
        { path: '/api/op/audit?format=csv&action=login' },
        { path: '/api/op/logs/tail' },
        { path: '/api/op/logs/histogram?from=2000-01-01&to=2100-01-01&buckets=240' },
        { path: '/api/op/audit/verify' },
        { path: '/api/op/backups/restore', body: { name: 'x'.repeat(1_000_000), confirm: '' } },
      ][number % 6] ?? { path: '/api/op/backups' },
  }),
])
