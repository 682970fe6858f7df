import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { hasGo } from '../support/clients/go.ts'
import { openRunner } from '../support/clients/runners.ts'
import { type Running, startSvc } from '../support/executable/background-process.ts'
import { BELL, runSvc } from '../support/executable/service.ts'
import { postgresMissing } from '../support/postgres/server.ts'
import { TwoServers } from '../support/postgres/two-servers.ts'
import { openClientPython } from '../support/python/python.ts'
import { until } from '../support/until.ts'

setDefaultTimeout(300_000)
if (postgresMissing) console.warn(`tests of two servers do not run: ${postgresMissing}`)

const hasPython = (await openClientPython()) !== undefined
const CLIENTS = [
  { client: 'js', command: 'submit', isHere: true },
  { client: 'go', command: 'submit', isHere: hasGo },
  { client: 'python', command: 'submit', isHere: hasPython },
  { client: 'python', command: 'submit-asynchronously', isHere: hasPython },
  { client: 'command line', command: 'submit', isHere: true },
] as const
const JOBS = 40

describe.skipIf(postgresMissing !== undefined)('of two servers, the one that leads is killed', () => {
  let both: TwoServers
  let driver: Running
  let users = 0
  beforeAll(async () => {
    both = await TwoServers.start()
    const qpu = await both.leader.createQpu('kelvin')
    const args = both.leader.driverArgs('kelvin', qpu.fingerprint, 'mock', ['latency=0.1'])
    args[args.indexOf('--svc-addr') + 1] = both.addresses
    driver = startSvc(args, { cwd: both.leader.folder, env: { SVC_ACCESS_TOKEN: qpu.token } })
    await both.leader.untilOnline('kelvin')
  })
  afterEach(() => both.startStandby())
  afterAll(async () => {
    await driver?.[Symbol.asyncDispose]()
    await both?.[Symbol.asyncDispose]()
  })

  const newUser = () => both.leader.createUser(1e6, `user${++users}@example.org`)

  async function killLeader(): Promise<void> {
    await both.leader.stop('SIGKILL')
    await both.takeover()
  }

  /** The jobs of a user, and how often each was charged. */
  async function jobsOf(token: string) {
    const path = '/api/jobs?limit=1000&fields=id,name,status'
    const { body } = await both.leader.call<Record<string, string>[]>('GET', path, { token })
    const charges = await both.all(
      `SELECT source_id AS id, count(*)::int AS count FROM qpu_ledger
       WHERE kind = 'charge' GROUP BY source_id`,
    )
    const counts = new Map(charges.map(({ id, count }) => [id, count]))
    const jobs = body.map(({ id, name = '', status }) => ({ name, status, charges: counts.get(id) ?? 0 }))
    return jobs.toSorted((a, b) => a.name.localeCompare(b.name))
  }

  const named = (count: number) =>
    Array.from({ length: count }, (_, at) => `job ${at}`).toSorted((a, b) => a.localeCompare(b))

  test.each(CLIENTS.filter(({ isHere }) => isHere))(
    'submissions of $client ($command) go on with the other one, each once',
    async ({ client, command }) => {
      const user = await newUser()
      const startRunner = await openRunner(client)
      const runner = startRunner([command, JOBS], { url: both.addresses, token: user.token })
      const first = await runner.next()
      await killLeader()
      const ids = [first, ...(await runner.rest())]
      expect(new Set(ids).size).toBe(JOBS)
      expect((await jobsOf(user.token)).map(({ name }) => name)).toEqual(named(JOBS))
    },
  )

  test.each(CLIENTS.slice(0, 3).filter(({ isHere }) => isHere))(
    'waits of $client end when the jobs do, and each is charged once',
    async ({ client }) => {
      const user = await newUser()
      const startRunner = await openRunner(client)
      const runner = startRunner(['wait', JOBS], { url: both.addresses, token: user.token })
      expect(await runner.next()).toBe('waiting')
      await killLeader()
      expect(await runner.rest()).toEqual([`completed ${JOBS}`])
      const jobs = named(JOBS).map((name) => ({ name, status: 'completed', charges: 1 }))
      expect(await jobsOf(user.token)).toEqual(jobs)
    },
  )

  test('svc login and the commands after it wait until a server leads', async () => {
    const former = both.leader
    const user = await newUser()
    const job = await both.leader.call<{ id: string }>('POST', '/api/jobs', {
      token: user.token,
      body: { circuits: [BELL], shots: 10, qpu_target: 'kelvin', name: 'before' },
    })
    const run = (args: string[], stdin = '') => runSvc(args, { cwd: former.folder, stdin })
    await until('the job to end', async () => (await jobsOf(user.token))[0]?.status === 'completed')
    await former.stop('SIGKILL')
    const login = ['login', both.addresses, '--email', `user${users}@example.org`]
    expect(await run(login, 'another long password')).toMatchObject({ status: 0, err: '' })
    await both.takeover()
    const result = await run(['result', job.body.id, '--json'])
    expect(result).toMatchObject({ status: 0, err: '' })
    expect(Object.keys(JSON.parse(result.out))).not.toEqual([])
  })
})
