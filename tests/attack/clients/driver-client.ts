import { silentLog, systemClock } from '../../../src/base/index.ts'
import { CALIBRATION_LIMITS } from '../../../src/protocol/calibration.ts'
import {
  type Connection,
  type ConnectResponse,
  connect,
  DEFAULT_LIMITS,
} from '../../../src/protocol/index.ts'
import { until } from '../../support/until.ts'
import type { Target } from '../attack.ts'
import { ADMIN } from '../harness/seed.ts'

const MIB = 1024 * 1024

/** A registered driver that obeys no limit. */
export interface HostileDriver {
  /** Sends text as one message; resolves when the socket has accepted it. */
  send(text: string): Promise<unknown>
  /** Sends an event with the given payload. */
  event(type: string, payload: unknown, id?: string): Promise<unknown>
  /** Ports and id of the driver. */
  readonly granted: ConnectResponse
  /** Number of events that the server has acknowledged. */
  readonly acknowledged: number
  /** Whether the server has closed the connection. */
  readonly isClosed: boolean
  /** The calibration that the server has sent last. */
  readonly run: { run_id: string; request_id: string } | undefined
}

/** Connects and attaches with the access token of a driver. */
export async function attach(
  target: Target,
  token: string,
  instance: string = crypto.randomUUID(),
): Promise<HostileDriver> {
  const ca = await (await fetch(`${target.url}/api/pub/root-ca.pem`)).text()
  const response = await fetch(`${target.url}/api/op/drivers/connect`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, instance, version: 'attack' }),
  })
  if (response.status !== 200) throw new Error(`connect: ${response.status} ${await response.text()}`)
  const granted = (await response.json()) as ConnectResponse
  let isClosed = false
  const options = {
    ...{ host: '127.0.0.1', ca, user: granted.id, password: granted.auth_token },
    ...{ clock: systemClock, log: silentLog, reconnect: false as const },
    limits: {
      ...DEFAULT_LIMITS,
      toServerBytes: 200 * MIB,
      queuedBytes: 400 * MIB,
      queuedMessages: 1_000_000,
    },
    onClose: () => {
      isClosed = true
    },
  }
  const result = connect({ ...options, role: 'push', port: granted.result_port })
  await ready(result)
  let acknowledged = 0
  let run: HostileDriver['run']
  const command = connect({
    ...{ ...options, role: 'pull', port: granted.command_port },
    onMessage(text) {
      const message = Buffer.from(text)
      if (message.includes('"EventAck"')) acknowledged += 1
      if (message.includes('"RunCalibration"')) run = JSON.parse(message.toString())
    },
  })
  await ready(command)
  let count = 0
  const send = (text: string) => result.send(text)
  return {
    ...{ granted, send },
    event: (type, payload, id = `attack${++count}`) =>
      send(JSON.stringify({ type, id, ts: new Date().toISOString(), payload })),
    get acknowledged() {
      return acknowledged
    },
    get isClosed() {
      return isClosed
    },
    get run() {
      return run
    },
  }
}

function ready(connection: Connection): Promise<unknown> {
  return until('the socket to be ready', () => connection.ready)
}

/** As many points as the trace of a step may have, with all their digits: a step of 11 KB. */
export const TRACE = Array.from({ length: CALIBRATION_LIMITS.tracePoints }, (_, at) => Math.cos(at / 7))
/** Targets of as many outcomes as a step may name. */
const OUTCOMES = Array.from({ length: CALIBRATION_LIMITS.stepOutcomes }, (_, at) => `q${at}`)

/** A step that is as large as one may be. */
export function stepAt(number: number, y: readonly number[]): object {
  return {
    ...{ phase: 'routine', step: number, total: 10 },
    ended: OUTCOMES.map((target) => ({ routine: `r${number % 33}`, target, outcome: 'success' })),
    trace: {
      ...{ routine: 't1', target: 'q0', kind: 'line', model: 'exponential', y_name: 'P1', y_unit: '' },
      ...{ x: { name: 'delay', unit: 's', values: TRACE }, y, curve: TRACE },
    },
  }
}

/** Requests a calibration and waits until the driver has it. */
export async function requestCalibration(driver: HostileDriver, { url }: Target): Promise<void> {
  const post = async (path: string, body: object, token = '') => {
    const headers = { 'content-type': 'application/json', authorization: token }
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as { token: string }
  }
  const login = { identity: ADMIN.email, password: ADMIN.password }
  const { token } = await post('/api/collections/_superusers/auth-with-password', login)
  await post('/api/op/calibrate/dispatch', { driver_id: driver.granted.id, mode: 'full' }, token)
  await until('the calibration to be sent', () => driver.run !== undefined)
}

/** A run that no request names. */
export const RUN = 'attackrun000000'

/** A report of about `bytes`, of a drift check. */
export function report(number: number, bytes: number, startedAt: string): string {
  const routine = {
    ...{ routine: 'rabi', target: 'q0', status: 'success', parameters: {} },
    fit: { trace: Array.from({ length: Math.floor(bytes / 10) }, (_, at) => 0.1234567 + (at % 9)) },
  }
  const payload = {
    ...{ run_id: `${RUN.slice(0, 11)}${String(number).padStart(4, '0')}`, request_id: null, mode: 'full' },
    ...{ started_at: startedAt, ended_at: startedAt, status: 'success', routines: [routine] },
  }
  return JSON.stringify({
    type: 'CalibrationReport',
    id: payload.run_id,
    ts: new Date().toISOString(),
    payload,
  })
}

/** Results of two circuits of a job before its end, 2 MB together. */
export const PARTIAL = {
  ...{ job: 'job000000000001', attempt: 1, progress: 0.5 },
  results: [0, 1].map((index) => ({
    index,
    result: {
      ...{ shots: 1, counts: { '0': 1 }, memory: 'f'.repeat(1_000_000), metadata: {} },
      header: {
        ...{ name: 'c', n_qubits: 1, memory_slots: 1, metadata: {} },
        ...{ creg_sizes: [['c', 1]], qreg_sizes: [['q', 1]] },
      },
    },
  })),
}
