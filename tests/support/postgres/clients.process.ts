/** Submits jobs until its standard input ends, then prints their ids by the keys of their submissions. */
import { BELL } from '../executable/service.ts'
import { until } from '../until.ts'
import type { ClientsOptions } from './job-load.ts'

/** From a request that the leader did not answer to the next one. */
const RETRY_MS = 250
/** After this a submission is given up and sent to the other server: the first one may be frozen. */
const SUBMISSION_MS = 5_000

type User = ClientsOptions['users'][number]

const { urls, users, clients, everyMs, waits }: ClientsOptions = JSON.parse(process.argv[2] ?? '')
const accepted: [key: string, id: string][] = []
const stop = new AbortController()
const isOver = new Promise((resolve) => stop.signal.addEventListener('abort', resolve))

async function submitAll(user: User): Promise<void> {
  await pause(user, everyMs * Math.random())
  while (!stop.signal.aborted) {
    const begun = performance.now()
    const key = crypto.randomUUID()
    const id = await submit(user, key)
    accepted.push([key, id])
    if (waits) await untilEnded(user, id, stop.signal)
    await pause(user, begun + everyMs - performance.now())
  }
}

async function pause(user: User, ms: number): Promise<void> {
  if (everyMs === 0 || ms <= 0) return
  if (waits) await untilEnded(user, user.heldJob, AbortSignal.any([stop.signal, AbortSignal.timeout(ms)]))
  else await Promise.race([Bun.sleep(ms), isOver])
}

function submit({ token }: User, key: string): Promise<string> {
  const body = JSON.stringify({ circuits: [{ circuit: BELL }], shots: 10 })
  const headers = { authorization: token, 'content-type': 'application/json', 'idempotency-key': key }
  let turn = 0
  const submitOnce = async () => {
    const url = urls[turn++ % urls.length]
    const signal = AbortSignal.timeout(SUBMISSION_MS)
    const response = await fetch(`${url}/api/jobs`, { method: 'POST', headers, body, signal })
    const { id } = (await response.json()) as { id?: string }
    return response.ok && id
  }
  return until('a submission to be accepted', submitOnce, { intervalMs: RETRY_MS, timeoutMs: 90_000 })
}

/** Waits until the leader responds that the job has ended, or until the signal. */
async function untilEnded({ token }: User, id: string, signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; ) {
    const url = `${urls[turn % urls.length]}/api/jobs/${id}?wait=20`
    const status = await statusAt(url, { headers: { authorization: token }, signal })
    if (status === 'completed') return
    if (status !== undefined) continue
    turn += 1
    await Bun.sleep(RETRY_MS)
  }
}

/** Undefined without a response; the signal may end also one that is arriving. */
async function statusAt(url: string, init: RequestInit): Promise<string | undefined> {
  try {
    const response = await fetch(url, init)
    return response.ok ? ((await response.json()) as { status: string }).status : undefined
  } catch {
    return undefined
  }
}

const all = Promise.all(users.flatMap((user) => Array.from({ length: clients }, () => submitAll(user))))
await Bun.stdin.text()
stop.abort()
await all
console.log(JSON.stringify(accepted))
