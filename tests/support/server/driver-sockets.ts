import { silentLog, systemClock } from '../../../src/base/index.ts'
import { type Connection, type ConnectResponse, connect } from '../../../src/protocol/index.ts'
import { until } from '../until.ts'
import type { TestDriver, TestQpu, TestResponse, TestServer } from './server.ts'

const open: Connection[] = []

/** Closes the sockets of all drivers; for `afterEach`. */
export async function closeDriverSockets(): Promise<void> {
  await Promise.all(open.splice(0).map((each) => each.close()))
}

/** The options of both connections that a driver opens after its connect. */
function connectionOptions(test: TestServer, lease: ConnectResponse) {
  return {
    host: lease.socket_host,
    ca: test.context.tls.material.caPem,
    user: lease.id,
    password: lease.auth_token,
    clock: systemClock,
    log: silentLog,
    reconnect: false,
  } as const
}

/** Opens the command socket with an invalid lease, and waits until the server has closed it. */
export async function expectRefusal(test: TestServer, lease: ConnectResponse): Promise<void> {
  const closed: string[] = []
  const connection = connect({
    ...connectionOptions(test, lease),
    role: 'pull',
    port: lease.command_port,
    onMessage: () => undefined,
    onClose: (reason) => closed.push(reason),
  })
  open.push(connection)
  await until('the socket is closed', () => closed.length > 0)
}

/** Attaches both sockets as a driver does after its connect. */
export async function attach(
  test: TestServer,
  response: TestResponse,
  through: { command_port?: number; result_port?: number } = {},
  onMessage: (body: Uint8Array) => void = () => undefined,
): Promise<{ command: Connection; result: Connection }> {
  const lease = { ...(response.body as ConnectResponse), ...through }
  const common = connectionOptions(test, lease)
  const command = connect({ ...common, role: 'pull', port: lease.command_port, onMessage })
  const result = connect({ ...common, role: 'push', port: lease.result_port })
  open.push(command, result)
  await until('both sockets are ready', () => command.ready && result.ready)
  return { command, result }
}

/** Requests the lease as one process of a driver; undefined as a process that sends no instance. */
export const connectAs = (
  test: TestServer,
  { token }: { token: string },
  instance: string | undefined = 'the process',
) => test.guest.post('/api/op/drivers/connect', { token, ...(instance !== '' && { instance }) })

/** Registers one more process driver of a QPU. */
export async function registerStandby(test: TestServer, qpu: TestQpu, name = 'south'): Promise<TestDriver> {
  const body = { name, qpu: qpu.name, operation: 'process' }
  const response = await test.admin.post('/api/op/drivers/create', body)
  return { id: response.text('id'), token: response.text('token') }
}

export async function statusOf(test: TestServer, { id }: { id: string }): Promise<unknown> {
  return (await test.guest.get(`/api/qpus/${id}`)).get('status')
}

export async function untilStatus(test: TestServer, qpu: TestQpu, status: string): Promise<void> {
  await until(`${qpu.name} is ${status}`, async () => (await statusOf(test, qpu)) === status)
}
