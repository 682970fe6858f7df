import { silentLog, systemClock } from '../../../src/base/index.ts'
import {
  type Connection,
  type ConnectResponse,
  connect,
  DEFAULT_LIMITS,
} from '../../../src/protocol/index.ts'
import { until } from '../../support/until.ts'
import type { Target } from '../attack.ts'

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
  const command = connect({
    ...{ ...options, role: 'pull', port: granted.command_port },
    onMessage(text) {
      if (Buffer.from(text).includes('"EventAck"')) acknowledged += 1
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
  }
}

function ready(connection: Connection): Promise<unknown> {
  return until('the socket to be ready', () => connection.ready)
}
