import { expect } from 'bun:test'
import { POSTGRES } from '../../../src/db/postgres/sql/dialect.ts'
import { ledgerSql } from '../../../src/db/sums/newer.ts'
import { BELL } from '../executable/service.ts'
import { until } from '../until.ts'
import type { TwoServers } from './two-servers.ts'

/** A busy machine may complete fewer jobs than are submitted. */
const DRAIN_MS = 1_200_000
/** From a request that the leader did not answer to the next one. */
const RETRY_MS = 250

interface LoadOptions {
  /** The QPU that runs the jobs; any, if unset. */
  qpu?: string
  clients?: number
  /** From one submission of a client to its next one, in ms; 0 = as soon as it is acknowledged. */
  everyMs?: number
  /** Whether each client waits for the end of its job before its next submission. */
  waits?: boolean
}

/**
 * Clients that submit with a key of its own for each job, and repeat what was not acknowledged at the other
 * server.
 */
export class JobLoad {
  readonly #accepted = new Map<string, string>()
  readonly #stop = new AbortController()
  readonly #clients: Promise<unknown>

  constructor(
    { addresses }: TwoServers,
    token: string,
    { qpu, clients = 4, everyMs = 0, waits = false }: LoadOptions,
  ) {
    const urls = addresses.split(',')
    const submitAll = async () => {
      while (!this.#stop.signal.aborted) {
        const key = crypto.randomUUID()
        const pause = Bun.sleep(everyMs)
        const id = await submit(urls, { token, key, qpu })
        this.#accepted.set(key, id)
        if (waits) await untilEnded(urls, { token, id, signal: this.#stop.signal })
        await pause
      }
    }
    this.#clients = Promise.all(Array.from({ length: clients }, submitAll))
  }

  /** Ends it. Returns the ids of all jobs by the keys of their submissions. */
  async end(): Promise<ReadonlyMap<string, string>> {
    this.#stop.abort()
    await this.#clients
    return this.#accepted
  }
}

interface Submission {
  token: string
  key: string
  qpu: string | undefined
}

function submit(urls: readonly string[], { token, key, qpu }: Submission): Promise<string> {
  const body = JSON.stringify({ circuits: [{ circuit: BELL }], shots: 10, qpu_target: qpu })
  let turn = 0
  return until('a submission to be accepted', async () => {
    const url = urls[turn++ % urls.length]
    const headers = { authorization: token, 'content-type': 'application/json', 'idempotency-key': key }
    const signal = AbortSignal.timeout(5_000)
    const response = await fetch(`${url}/api/jobs`, { method: 'POST', headers, body, signal })
    const { id } = (await response.json()) as { id?: string }
    return response.ok && id
  })
}

/** Waits until the leader responds that the job has ended, or until the signal. */
async function untilEnded(
  urls: readonly string[],
  { token, id, signal }: { token: string; id: string; signal: AbortSignal },
): Promise<void> {
  for (let turn = 0; !signal.aborted; ) {
    const url = `${urls[turn % urls.length]}/api/jobs/${id}?wait=20`
    const response = await fetch(url, { headers: { authorization: token }, signal }).catch(() => undefined)
    const { status } = response?.ok ? ((await response.json()) as { status: string }) : {}
    if (status === 'completed') return
    if (status !== undefined) continue
    turn += 1
    await Bun.sleep(RETRY_MS)
  }
}

/**
 * Waits until no job is left in the queue: each of the acknowledged ones, and nothing that nobody has
 * submitted, is then completed and charged once. `accepted` has all of them since the database is new.
 */
export async function expectEachOnce(both: TwoServers, accepted: ReadonlyMap<string, string>): Promise<void> {
  const isEmpty = async () => {
    const open = await both.all("SELECT id FROM quantum_jobs WHERE status IN ('pending', 'running') LIMIT 1")
    return open.length === 0
  }
  await until('the queue to be empty', isEmpty, { timeoutMs: DRAIN_MS })
  const rows = await both.all(
    `SELECT id, status, (SELECT count(*)::int FROM ${ledgerSql(POSTGRES)} AS ledger
       WHERE kind = 'charge' AND source_id = quantum_jobs.id) AS charges FROM quantum_jobs`,
  )
  const once = [...accepted.values()].map((id) => ({ id, status: 'completed', charges: 1 }))
  const byId = (one: object, other: object) =>
    String(Reflect.get(one, 'id')) < String(Reflect.get(other, 'id')) ? -1 : 1
  expect(rows.toSorted(byId)).toEqual(once.toSorted(byId))
}
