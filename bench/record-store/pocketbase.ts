import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../tests/support/free-port.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { until } from '../../tests/support/until.ts'
import type { CollectionShape } from './ours.ts'
import { fillJobs, login, request, type Side } from './side.ts'

const MODULE = join(import.meta.dir, '../pocketbase')
const ADMIN = ['admin@example.org', 'a long password'] as const
const USER = ['user@example.org', 'another long password'] as const

/** Collections that the jobs need, each after the collections that it refers to. */
const COLLECTIONS = ['qpus', 'drivers', 'quantum_jobs', 'notifications']

/** Builds PocketBase with the Go toolchain that its module requires; later runs reuse the program. */
async function build(): Promise<string> {
  const sums = await Bun.file(join(MODULE, 'go.sum')).text()
  const program = join(tmpdir(), `svc-bench-pocketbase-${Bun.hash(sums).toString(36)}`)
  if (existsSync(program)) return program
  const go = Bun.spawn(['go', 'build', '-trimpath', '-o', program, '.'], {
    cwd: MODULE,
    env: { ...process.env, GOTOOLCHAIN: 'auto', CGO_ENABLED: '0' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if ((await go.exited) !== 0) throw new Error('go build failed')
  return program
}

/** Starts PocketBase with the `collections` of svc, their rules, their indexes, and `JOBS` jobs. */
export async function openPocketBase(collections: readonly CollectionShape[]): Promise<Side> {
  const program = await build()
  const folder = temporaryFolder()
  const data = join(folder.path, 'pb_data')
  mkdirSync(data)
  const run = (...args: string[]) =>
    Bun.spawn([program, ...args, '--dir', data], { stdio: ['ignore', 'ignore', 'inherit'] })
  await run('superuser', 'upsert', ...ADMIN).exited
  const url = `http://127.0.0.1:${freePort()}`
  let server: Bun.Subprocess | undefined
  const start = async () => {
    server = run('serve', '--http', url.slice('http://'.length))
    await until('PocketBase to be healthy', async () => (await fetch(`${url}/api/health`)).ok)
  }
  const stop = async () => {
    server?.kill('SIGTERM')
    await server?.exited
  }
  await start()
  const { token: admin } = await login(url, '_superusers', ...ADMIN)
  const user = await createUser(url, admin)
  await createCollections(url, admin, collections)
  const qpu = await request<{ id: string }>(url, 'POST', '/api/collections/qpus/records', {
    token: admin,
    body: { name: 'bench_qpu', status: 'offline', enabled: true, num_qubits: 24 },
  })
  await stop()
  fillJobs(join(data, 'data.db'), { user, qpu: qpu.id })
  await start()
  const { token } = await login(url, 'users', ...USER)
  return {
    name: 'PocketBase',
    url,
    token,
    admin,
    user,
    qpu: qpu.id,
    async [Symbol.asyncDispose]() {
      await stop()
      folder[Symbol.dispose]()
    },
  }
}

async function createUser(url: string, token: string): Promise<string> {
  const [email, password] = USER
  const body = { email, password, passwordConfirm: password, verified: true }
  return (await request<{ id: string }>(url, 'POST', '/api/collections/users/records', { token, body })).id
}

async function createCollections(
  url: string,
  token: string,
  ours: readonly CollectionShape[],
): Promise<void> {
  const ids = new Map(ours.map(({ name }): [string, string] => [name, '']))
  const nameOf = new Map(ours.map((each): [unknown, string] => [Reflect.get(each, 'id'), each.name]))
  ids.set('users', (await request<{ id: string }>(url, 'GET', '/api/collections/users', { token })).id)
  for (const name of COLLECTIONS) {
    const shape = ours.find((each) => each.name === name)
    if (!shape) throw new Error(`no collection ${name}`)
    const fields = shape.fields
      .filter((field) => field.name !== 'id')
      .map(({ system, ...field }) =>
        field.collectionId
          ? { ...field, collectionId: ids.get(nameOf.get(field.collectionId) ?? '') }
          : field,
      )
    const indexes = name === 'quantum_jobs' ? INDEXES : []
    const { id, system, ...rest } = { id: '', system: false, ...shape }
    const body = { ...rest, fields, indexes }
    const made = await request<{ id: string }>(url, 'POST', '/api/collections', { token, body })
    ids.set(name, made.id)
  }
}

/** The indexes of svc that a list of jobs can use. */
const INDEXES = ['status', 'user_id', 'qpu_target', 'driver'].map(
  (field) => `CREATE INDEX quantum_jobs_${field} ON quantum_jobs (${field})`,
)
