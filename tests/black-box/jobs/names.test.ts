import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readJob, submit, untilJob } from '../../support/executable/job-calls.ts'
import { BELL, runSvc, Service } from '../../support/executable/service.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(60_000)

let folder: TemporaryFolder
let service: Service
let user: { id: string; token: string }
let qpus: Record<'north' | 'south', { id: string; token: string; fingerprint: string }>

beforeAll(async () => {
  folder = temporaryFolder()
  service = await Service.install(folder.path)
  await service.start()
  user = await service.createUser(1_000)
  qpus = { north: await service.createQpu('north'), south: await service.createQpu('south') }
  service.startDriver('north', qpus.north)
  await service.untilOnline('north')
})
afterAll(async () => {
  await service?.close('SIGKILL')
  folder?.[Symbol.dispose]()
})

interface Listed {
  id: string
  name: string
  tags: string[]
  qpu: string
  qpu_target: string
}

async function list(query: string, token = user.token): Promise<string[]> {
  const { status, body } = await service.call<Listed[]>('GET', `/api/jobs?fields=id&${query}`, { token })
  expect(status).toBe(200)
  return body.map(({ id }) => id)
}

test('names, tags and metadata come back, with the QPU that ran the job; lists are filtered by them', async () => {
  const input = BELL.replace('include', 'input float a; include')
  const sweep = await submit(service, user.token, {
    ...{ name: 'sweep', tags: ['demo', 'ü'] },
    circuits: [
      { circuit: BELL, name: 'bell', metadata: { depth: 2, at: ['a'] } },
      { circuit: input, name: 'with input', parameter_values: [[1], [2]] },
      BELL,
    ],
  })
  const done = await untilJob(service, user.token, sweep)
  expect(done).toMatchObject({ name: 'sweep', tags: ['demo', 'ü'], qpu_target: '', qpu: qpus.north.id })
  expect(done.attempts).toMatchObject([{ attempt: 1, qpu: qpus.north.id, state: 'ok' }])
  expect(done.results?.circuit_results.map(({ header }) => [header.name, header.metadata])).toEqual([
    ['bell', { depth: 2, at: ['a'] }],
    ['with input', {}],
    ['with input', {}],
    ['circuit_2', {}],
  ])
  const waits = await submit(service, user.token, { qpu_target: 'south', tags: ['demo'] })
  const plain = await submit(service, user.token, { qpu_target: 'north' })
  await untilJob(service, user.token, plain)
  expect(await list('tag=demo')).toEqual([waits, sweep])
  expect(await list(`tag=${encodeURIComponent('ü')}`)).toEqual([sweep])
  expect(await list('tag=dem')).toEqual([])
  expect(await list('status=pending')).toEqual([waits])
  expect(await list('status=pending,completed&sort=created')).toEqual([sweep, waits, plain])
  expect(await list('qpu=north')).toEqual([plain, sweep])
  // Not run yet: by its target.
  expect(await list('qpu=south')).toEqual([waits])
  expect(await list(`qpu_target=${qpus.north.id}`)).toEqual([plain])
  expect(await list(`before=${plain}&limit=1`)).toEqual([waits])
  expect(await list(`before=${plain}&tag=demo&status=completed&qpu=north`)).toEqual([sweep])
  expect(await list('created_from=2020-01-01&created_to=2021-01-01')).toEqual([])
  expect(await list('created_from=2020-01-01')).toHaveLength(3)
  // Filters never show the jobs of others.
  const other = await service.createUser(10, 'other@example.org')
  expect(await list('tag=demo', other.token)).toEqual([])
  const refused = async (query: string) =>
    (await service.call('GET', `/api/jobs?${query}`, { token: user.token })).status
  expect(await refused('qpu=nowhere')).toBe(400)
  expect(await refused('status=done')).toBe(400)
  expect(await refused('before=x')).toBe(400)
  expect(await refused(`tag=${'x'.repeat(65)}`)).toBe(400)
  // The export has them, and its import as well.
  const { out } = await runSvc(['export', '--collection', 'quantum_jobs', '--dir', 'svc_data'], {
    cwd: folder.path,
  })
  const exported = out.split('\n').find((line) => line.includes(sweep))
  expect(JSON.parse(exported ?? '{}')).toMatchObject({
    name: 'sweep',
    tags: ['demo', 'ü'],
    qpu: qpus.north.id,
  })
})

test('the owner deletes jobs that have ended; the charge remains', async () => {
  const waits = await submit(service, user.token, { qpu_target: 'south' })
  const path = `/api/jobs/${waits}`
  const early = await service.call<{ code: string }>('DELETE', path, { token: user.token })
  expect([early.status, early.body.code]).toEqual([409, 'job_not_ended'])
  await service.call('POST', `${path}/cancel`, { token: user.token })
  const other = await service.createUser(10, 'third@example.org')
  expect((await service.call('DELETE', path, { token: other.token })).status).toBe(404)
  expect((await service.call('DELETE', path, { token: user.token })).status).toBe(200)
  expect((await service.call('GET', path, { token: user.token })).status).toBe(404)
  expect((await service.call('DELETE', path, { token: user.token })).status).toBe(404)
  // 9 MB of program and the results are removed in transactions of their own.
  const balance = async () =>
    (
      await service.call<{ qpu_seconds: number }>('GET', `/api/collections/users/records/${user.id}`, {
        token: user.token,
      })
    ).body.qpu_seconds
  const circuit = `${BELL} // ${'x'.repeat(9_000_000)}`
  const large = await submit(service, user.token, {
    qpu_target: 'north',
    circuits: [{ circuit }],
    tags: ['large'],
  })
  await untilJob(service, user.token, large)
  const before = await balance()
  expect((await service.call('DELETE', `/api/jobs/${large}`, { token: user.token })).status).toBe(200)
  expect(await balance()).toBe(before)
  expect(await list('tag=large')).toEqual([])
  await expect(readJob(service, user.token, large)).rejects.toThrow('404')
  await service.stop()
  expect((await service.doctor()).status).toBe(0)
})
