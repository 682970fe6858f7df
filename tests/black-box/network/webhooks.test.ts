import { beforeAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { submit } from '../../support/executable/job-calls.ts'
import { BELL, Service } from '../../support/executable/service.ts'
import { skips } from '../../support/faults/prerequisites.ts'
import { freePort } from '../../support/free-port.ts'
import { openMailSink } from '../../support/server/smtp.ts'
import { makeTestCertificates, type TestCertificates } from '../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'
import { openReceiver, RECEIVER_NAMES, type Response } from '../../support/webhooks/receiver.ts'

let certificates: TestCertificates
beforeAll(async () => {
  certificates = await makeTestCertificates(RECEIVER_NAMES)
})

interface Delivery {
  id: string
  state: string
  status: number
  error: string
  attempts: number
  duration_ms: number
  response: string
}

interface Caller {
  service: Service
  token: string
}

async function install(
  folder: string,
  options: Parameters<typeof Service.install>[1] = {},
): Promise<Service> {
  const ca = join(folder, 'receivers.pem')
  writeFileSync(ca, certificates.caPem)
  const flags = ['--webhook-networks', '127.0.0.1', '--webhook-ca-file', ca, ...(options.flags ?? [])]
  return Service.install(folder, { ...options, flags })
}

async function register({ service, token }: Caller, url: string): Promise<string> {
  const body = { url, kinds: ['job.ended'] }
  const made = await service.call<{ id: string }>('POST', '/api/webhooks', { token, body })
  expect(made).toMatchObject({ status: 201 })
  return made.body.id
}

/** The newest delivery of a webhook once it has been attempted. */
function attempted({ service, token }: Caller, id: string): Promise<Delivery> {
  return until(`the delivery of ${id}`, async () => {
    const path = `/api/webhooks/${id}/deliveries`
    const [delivery] = (await service.call<Delivery[]>('GET', path, { token })).body
    return delivery && delivery.attempts > 0 && delivery
  })
}

const MINIMUM_JOB = { circuits: [{ circuit: BELL }], shots: 1 }

async function endJob({ service, token }: Caller): Promise<string> {
  const made = await service.call<{ id: string }>('POST', '/api/jobs', { token, body: MINIMUM_JOB })
  expect(made.status).toBe(201)
  const ended = await service.call('POST', `/api/jobs/${made.body.id}/cancel`, { token })
  expect(ended.status).toBe(200)
  return made.body.id
}

test('a receiver that fails in any way is recorded, delays no other and is never followed elsewhere', async () => {
  using folder = temporaryFolder()
  await using service = await install(folder.path)
  await service.start()
  await service.createQpu('north')
  const { token } = await service.createUser(100)
  const caller = { service, token }
  await using internal = await openReceiver({ certificates })
  await using good = await openReceiver({ certificates })
  const responses: Record<string, Response> = {
    slow: () => undefined,
    slow_body: (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nbeg'),
    endless: (socket) => {
      // With the head, since the server waits only a second for the first bytes of a body.
      socket.write(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(512)}`)
      const more = () => {
        while (!socket.destroyed && socket.write('x'.repeat(65_536)));
        socket.once('drain', more)
      }
      more()
    },
    redirect: (socket) => {
      socket.end(`HTTP/1.1 302 Found\r\nlocation: https://127.0.0.1:${internal.port}/\r\n\r\n`)
    },
    broken: 500,
    gone: 410,
  }
  const hooks: Record<string, string> = {}
  await using stack = new AsyncDisposableStack()
  for (const [name, response] of Object.entries(responses)) {
    const { port } = stack.use(await openReceiver({ certificates, response }))
    hooks[name] = await register(caller, `https://127.0.0.1:${port}/${name}`)
  }
  for (const name of ['foreign', 'wrongName'] as const) {
    const { port } = stack.use(await openReceiver({ certificates: certificates[name] }))
    hooks[name] = await register(caller, `https://127.0.0.1:${port}/`)
  }
  hooks['refused'] = await register(caller, `https://127.0.0.1:${freePort()}/`)
  hooks['good'] = await register(caller, `https://127.0.0.1:${good.port}/`)
  const job = await endJob(caller)
  const outcome = async (name: string) => {
    const { status, error, response } = await attempted(caller, hooks[name] ?? '')
    return { status, error: error.split(':')[0], response: response.slice(0, 3) }
  }
  expect(await outcome('good')).toEqual({ status: 200, error: '', response: 'ok' })
  expect(JSON.parse((await good.request()).body)).toMatchObject({ data: { id: job, status: 'cancelled' } })
  expect(await outcome('refused')).toEqual({ status: 0, error: 'connection', response: '' })
  expect(await outcome('foreign')).toEqual({ status: 0, error: 'certificate', response: '' })
  expect(await outcome('wrongName')).toEqual({ status: 0, error: 'certificate', response: '' })
  expect(await outcome('redirect')).toEqual({ status: 302, error: 'redirect', response: '' })
  expect(await outcome('broken')).toEqual({ status: 500, error: 'http_status', response: 'ok' })
  expect(await outcome('gone')).toEqual({ status: 410, error: 'http_status', response: 'ok' })
  expect(await outcome('slow_body')).toEqual({ status: 200, error: '', response: 'beg' })
  expect(await outcome('endless')).toEqual({ status: 200, error: '', response: 'xxx' })
  expect(await outcome('slow')).toEqual({ status: 0, error: 'timeout', response: '' })
  expect(internal.connections).toBe(0)
  const list = await service.call<{ id: string; enabled: boolean }[]>('GET', '/api/webhooks', { token })
  const disabled = list.body.filter(({ enabled }) => !enabled).map(({ id }) => id)
  expect(disabled).toEqual([hooks['gone'] ?? ''])
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  expect(metrics).toMatch(/svc_webhook_attempts_total\{outcome="failed"\} [1-9]/)
  expect(metrics).toMatch(/svc_webhook_attempts_total\{outcome="delivered"\} [1-9]/)
}, 60_000)

/** Runs the server with a file of host names of its own, which the test may change. */
const withHosts = (file: string) => [
  'unshare',
  '-rm',
  'sh',
  '-c',
  `mount --bind ${file} /etc/hosts && exec "$0" "$@"`,
]
const canUnshare = Bun.spawnSync(['unshare', '-rm', 'true']).exitCode === 0

const REBINDING = 'a name that gets an address of the server between two look-ups is not connected to'
test.skipIf(skips(REBINDING, canUnshare ? undefined : 'it takes a mount namespace'))(
  REBINDING,
  async () => {
    using folder = temporaryFolder()
    const hosts = join(folder.path, 'hosts')
    writeFileSync(hosts, '127.0.0.1 hook.test\n')
    await using service = await install(folder.path, { prefix: withHosts(hosts) })
    await service.start()
    await service.createQpu('north')
    const { token } = await service.createUser(100)
    const caller = { service, token }
    await using allowed = await openReceiver({ certificates })
    await using internal = await openReceiver({ certificates, host: '127.0.0.2', port: allowed.port })
    const id = await register(caller, `https://hook.test:${allowed.port}/`)
    await endJob(caller)
    expect((await allowed.request()).servername).toBe('hook.test')
    await until('the record', async () => (await attempted(caller, id)).state === 'delivered')
    writeFileSync(hosts, '127.0.0.2 hook.test\n')
    await endJob(caller)
    const refused = await until('the second attempt', async () => {
      const delivery = await attempted(caller, id)
      return delivery.error !== '' && delivery
    })
    expect(refused.error).toStartWith('address_not_allowed: ')
    expect([allowed.requests.length, internal.connections]).toEqual([1, 0])
  },
  60_000,
)

test('a mail and a delivery survive kill -9 between their event and their sending', async () => {
  using folder = temporaryFolder()
  await using sink = await openMailSink()
  const smtp = ['--smtp-host', '127.0.0.1', '--smtp-port', String(sink.port), '--smtp-tls', 'none']
  const flags = [...smtp, '--smtp-from', 'svc@example.org']
  await using service = await install(folder.path, { flags })
  await service.start()
  await service.createQpu('north')
  const user = await service.createUser(100)
  const caller = { service, token: user.token }
  const record = `/api/collections/users/records/${user.id}`
  const chosen = await service.call('PATCH', record, { token: user.token, body: { mail_job_after: 1 } })
  expect(chosen).toMatchObject({ status: 200, body: { mail_job_after: 1, mail_slot_start: false } })
  const port = freePort()
  const id = await register(caller, `https://127.0.0.1:${port}/`)
  const job = await submit(service, user.token)
  const later = await submit(service, user.token)
  // Their owner wants mails about jobs that took a second.
  await Bun.sleep(1_000)
  const cancel = (each: string) => service.call('POST', `/api/jobs/${each}/cancel`, { token: user.token })
  await cancel(job)
  await service.stop('SIGKILL')
  await using receiver = await openReceiver({ certificates, port })
  await service.start()
  const { text, to } = await sink.mail()
  expect(to).toEqual(['user@example.org'])
  expect(text).toContain(`Job ${job} ended: cancelled`)
  await receiver.request()
  expect((await attempted(caller, id)).state).toBe('delivered')
  const waiting = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/^svc_mail_items_waiting (\d+)$/m.exec(metrics)?.[1])
  }
  await until('the mail to be recorded as sent', async () => (await waiting()) === 0)
  await service.stop('SIGKILL')
  await service.start()
  expect(await waiting()).toBe(0)
  // The next delivery is that of the next job.
  await cancel(later)
  expect(JSON.parse((await receiver.request(2)).body)).toMatchObject({ data: { id: later } })
  expect([sink.mails.length, receiver.requests.length]).toEqual([1, 2])
}, 60_000)
