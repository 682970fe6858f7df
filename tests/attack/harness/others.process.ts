/**
 * Everybody else while the server is attacked: a process that sends the calls of other users at fixed times,
 * and probes the event loop of the server on a connection of its own. It is not the process of the attacker,
 * so that the attacker's own work delays no measurement.
 */
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setPriority } from 'node:os'
import { percentile } from '../../../bench/support/figures.ts'
import type { Command, OthersConfig, Window } from './others.ts'

const PROBE_INTERVAL_MS = 5
const CALL_INTERVAL_MS = 20
const GIVE_UP_MS = 30_000
/** Unanswered calls beyond this are not sent: those that wait describe the stall. */
const MAX_OUTSTANDING = 200
/** The server is idle again after this many fast probes in succession. */
const QUIET_PROBES = 40
const QUIET_MS = 15
const PROBE = 'OPTIONS /api/health HTTP/1.1\r\nhost: probe\r\n\r\n'
const BELL =
  'OPENQASM 3.0; include "stdgates.inc"; qubit[2] q; bit[2] c; h q[0]; cx q[0], q[1]; c = measure q;'

const config = JSON.parse(process.argv[2] ?? '{}') as OthersConfig
const base = `http://127.0.0.1:${config.port}`
const send = (message: Window | { quiet: true }) => process.send?.(message)
try {
  setPriority(-5)
} catch {
  // Without the privilege, the measurement is only noisier.
}

interface Open {
  stall: number
  rawStall: number
  busy: number
  probes: number
  calls: Map<string, number[]>
  failed: number
  outstanding: Set<Promise<void>>
}
const empty = (): Open => ({
  ...{ stall: 0, rawStall: 0, busy: 0, probes: 0, failed: 0 },
  ...{ calls: new Map<string, number[]>(), outstanding: new Set<Promise<void>>() },
})
let open = empty()
let quietProbes = 0
let onQuiet: (() => void) | undefined

/** Times in ms since the start of a process, of the thread with its event loop. */
interface ThreadTimes {
  /** On a processor. */
  busy: number
  /** Ready, but waiting for a processor. */
  waiting: number
}

/** Undefined for a process that has ended. */
function threadTimes(pid: number): ThreadTimes | undefined {
  try {
    const [busy, waiting] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
    return { busy: Number(busy) / 1e6, waiting: Number(waiting) / 1e6 }
  } catch {
    return undefined
  }
}

let socket: Socket | undefined
let onResponse: ((isOpen: boolean) => void) | undefined
function connection(): Promise<Socket | undefined> {
  if (socket) return Promise.resolve(socket)
  const opened = connect({ host: '127.0.0.1', port: config.port, noDelay: true })
  const { promise, resolve } = Promise.withResolvers<Socket | undefined>()
  opened.on('connect', () => {
    socket = opened
    resolve(opened)
  })
  let received = ''
  opened.on('data', (chunk) => {
    received += chunk
    if (!received.includes('\r\n\r\n')) return
    received = ''
    onResponse?.(true)
  })
  opened.on('error', () => opened.destroy())
  opened.on('close', () => {
    socket = undefined
    resolve(undefined)
    onResponse?.(false)
  })
  return promise
}

/** The probe without a response: when it was sent, and the times of both event loops by then. */
let current: { sent: number; server: ThreadTimes; own: ThreadTimes } | undefined
const NO_TIMES: ThreadTimes = { busy: 0, waiting: 0 }

function record(): void {
  if (!current) return
  const took = performance.now() - current.sent
  const server = threadTimes(config.pid) ?? current.server
  const own = threadTimes(process.pid) ?? current.own
  const waited = server.waiting - current.server.waiting + own.waiting - current.own.waiting
  open.rawStall = Math.max(open.rawStall, took)
  open.stall = Math.max(open.stall, took - waited)
  // While this process waits for a processor, the server may take several turns.
  open.busy = Math.max(open.busy, Math.min(took - waited, server.busy - current.server.busy))
}

async function probe(): Promise<void> {
  const to = await connection()
  if (!to) return
  const { promise, resolve } = Promise.withResolvers<boolean>()
  onResponse = resolve
  current = {
    sent: performance.now(),
    server: threadTimes(config.pid) ?? NO_TIMES,
    own: threadTimes(process.pid) ?? NO_TIMES,
  }
  to.write(PROBE)
  const isAnswered = await promise
  const took = performance.now() - current.sent
  record()
  if (isAnswered) open.probes += 1
  quietProbes = isAnswered && took < QUIET_MS ? quietProbes + 1 : 0
  if (quietProbes >= QUIET_PROBES) onQuiet?.()
  current = undefined
}

async function probeForever(): Promise<never> {
  for (;;) {
    const started = performance.now()
    await probe()
    await Bun.sleep(Math.max(0, started + PROBE_INTERVAL_MS - performance.now()))
  }
}

let sequence = 0
/** The owner of the jobs. */
const owner = config.tokens[0] ?? ''
const token = () => config.tokens[sequence % config.tokens.length] ?? ''
const job = () => config.jobs[sequence % config.jobs.length] ?? ''
const call = (path: string, by: string, init: RequestInit = {}) =>
  fetch(base + path, {
    ...init,
    headers: { authorization: by, ...init.headers },
    signal: AbortSignal.timeout(GIVE_UP_MS),
  })

/** The calls of other users, by name. Each resolves when its response has been read. */
const CALLS: Record<string, (by: string) => Promise<Response>> = {
  health: (by) => call('/api/health', by),
  view: () => call(`/api/jobs/${job()}`, owner),
  list: () => call('/api/jobs?limit=20', owner),
  records: (by) =>
    call('/api/collections/quantum_jobs/records?sort=-created&skipTotal=true&fields=id,status', by),
  submit: (by) =>
    call('/api/jobs', by, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ circuits: [{ circuit: BELL }], shots: 100 }),
    }),
}
const PATTERN = ['health', 'view', 'list', 'view', 'records', 'submit']

/** One call; its time begins when it was due, so that a stalled client counts too. */
async function callOnce(name: string, window: Open, due: number): Promise<void> {
  const made = CALLS[name]
  if (!made) throw new Error(`no call ${name}`)
  const by = token()
  let submitted: string | undefined
  try {
    const response = await made(by)
    const text = await response.text()
    if (!response.ok) throw new Error(`${name}: ${response.status} ${text.slice(0, 200)}`)
    if (name === 'submit') submitted = text
  } catch (error) {
    window.failed += 1
    if (window.failed === 1) console.error(`a call of another user failed: ${String(error)}`)
  }
  window.calls.set(name, [...(window.calls.get(name) ?? []), performance.now() - due])
  if (submitted !== undefined) await cancel(submitted, by)
}

/** Cancels a submitted job, so that the queue does not grow. */
async function cancel(submitted: string, by: string): Promise<void> {
  const { id } = JSON.parse(submitted) as { id: string }
  await call(`/api/jobs/${id}/cancel`, by, { method: 'POST' }).catch(() => undefined)
}

const started = performance.now()
setInterval(() => {
  const due = started + sequence * CALL_INTERVAL_MS
  if (due > performance.now()) return
  sequence += 1
  if (open.outstanding.size >= MAX_OUTSTANDING) return
  const window = open
  const made = callOnce(PATTERN[sequence % PATTERN.length] ?? 'health', window, due).finally(() =>
    window.outstanding.delete(made),
  )
  window.outstanding.add(made)
}, CALL_INTERVAL_MS / 4)

async function close(): Promise<void> {
  const window = open
  // A probe that still waits belongs to this window.
  record()
  open = empty()
  await Promise.all(window.outstanding)
  const all = [...window.calls.values()].flat()
  send({
    stall: window.stall,
    rawStall: window.rawStall,
    busy: window.busy,
    probes: window.probes,
    p50: Object.fromEntries([...window.calls].map(([name, times]) => [name, percentile(times, 0.5)])),
    median: percentile(all, 0.5),
    p99: percentile(all, 0.99),
    calls: all.length,
    failed: window.failed,
  })
}

process.on('message', (command: Command) => {
  if (command === 'open') {
    open = empty()
  } else if (command === 'record') {
    record()
  } else if (command === 'close') {
    void close()
  } else {
    quietProbes = 0
    onQuiet = () => {
      onQuiet = undefined
      send({ quiet: true })
    }
  }
})
void probeForever()
