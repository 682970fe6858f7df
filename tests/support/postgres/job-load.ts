import { expect } from 'bun:test'
import { join } from 'node:path'
import { BELL } from '../executable/service.ts'
import { until } from '../until.ts'
import type { TwoServers } from './two-servers.ts'

/** A busy machine may complete fewer jobs than are submitted. */
const DRAIN_MS = 1_200_000
/** Not one of `createUsers`. */
const NOT_HELD = 'held = 0'
interface LoadOptions {
  /** Clients of each user. */
  clients: number
  /** From one submission of a client to its next one, in ms; 0 = as soon as it is acknowledged. */
  everyMs?: number
  /**
   * Whether each client waits for the end of its own job before its next submission, and between the two for
   * the end of a job that is held, so that all of them always have a request that waits.
   */
  waits?: boolean
}

/** Who submits. */
interface User {
  token: string
  /** A job that does not end. */
  heldJob: string
}

/**
 * Users with QPU time, each with a job that an operator holds. Call it after the first QPU is registered and
 * before its driver starts.
 */
export function createUsers({ leader }: TwoServers, count: number): Promise<User[]> {
  const createUser = async (_: unknown, at: number): Promise<User> => {
    const { token } = await leader.createUser(1e9, `user${at}@example.org`)
    const body = { circuits: [{ circuit: BELL }] }
    const { id = '' } = (await leader.call<{ id?: string }>('POST', '/api/jobs', { token, body })).body
    const held = await leader.call('POST', `/api/op/jobs/${id}/hold`, {
      token: await leader.admin(),
      body: {},
    })
    if (held.status !== 200) throw new Error(JSON.stringify(held.body))
    return { token, heldJob: id }
  }
  return Promise.all(Array.from({ length: count }, createUser))
}

/** What the process of the clients gets. */
export interface ClientsOptions extends Required<LoadOptions> {
  /** The addresses of both servers. */
  urls: readonly string[]
  users: readonly User[]
}

/** Requests at the same time; the runtime has a limit. */
const MAX_REQUESTS = 2_000

/**
 * Clients in a process of their own. They submit each job with a key of its own, and repeat what was not
 * acknowledged at the other server.
 */
export class JobLoad {
  readonly #process: Bun.Subprocess<'pipe', 'pipe', 'inherit'>

  constructor(
    { addresses }: TwoServers,
    users: readonly User[],
    { clients, everyMs = 0, waits = false }: LoadOptions,
  ) {
    const options: ClientsOptions = { urls: addresses.split(','), users, clients, everyMs, waits }
    const entry = join(import.meta.dir, 'clients.process.ts')
    this.#process = Bun.spawn([process.execPath, entry, JSON.stringify(options)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: String(MAX_REQUESTS) },
    })
  }

  /** Ends it. Returns the ids of all jobs by the keys of their submissions. */
  async end(): Promise<ReadonlyMap<string, string>> {
    await this.#process.stdin.end()
    const accepted = await new Response(this.#process.stdout).json()
    expect(await this.#process.exited).toBe(0)
    return new Map(accepted as [string, string][])
  }
}

/**
 * Waits until only held jobs are left in the queue: each of the acknowledged ones, and nothing that nobody
 * has submitted, is then completed and charged once. `accepted` has all of them since the database is new.
 */
export async function expectEachOnce(both: TwoServers, accepted: ReadonlyMap<string, string>): Promise<void> {
  const isEmpty = async () => {
    const open = await both.all(
      `SELECT id FROM quantum_jobs WHERE ${NOT_HELD} AND status IN ('pending', 'running') LIMIT 1`,
    )
    return open.length === 0
  }
  await until('the queue to be empty', isEmpty, { timeoutMs: DRAIN_MS })
  const rows = await both.all(
    `SELECT id, status, (SELECT count(*)::int FROM qpu_ledger
       WHERE kind = 'charge' AND source_id = quantum_jobs.id) AS charges FROM quantum_jobs WHERE ${NOT_HELD}`,
  )
  const once = [...accepted.values()].map((id) => ({ id, status: 'completed', charges: 1 }))
  const byId = (one: object, other: object) =>
    String(Reflect.get(one, 'id')) < String(Reflect.get(other, 'id')) ? -1 : 1
  expect(rows.toSorted(byId)).toEqual(once.toSorted(byId))
}
