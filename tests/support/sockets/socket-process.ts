/**
 * A message socket in a process of its own, so that tests can stop and kill it. Argument: JSON of `Task`.
 * Writes `ready` and `closed`, and the count of received messages, as lines to standard output.
 */
import { silentLog, systemClock } from '../../../src/base/index.ts'
import { connect, listen, type SocketLimits } from '../../../src/protocol/socket.ts'

export interface Task {
  listens: boolean
  port: number
  caPem: string
  keyPem: string
  certPem: string
  user: string
  password: string
  limits: Partial<SocketLimits>
}

const task: Task = JSON.parse(process.argv[2] ?? '{}')
const common = {
  role: 'pull',
  host: '127.0.0.1',
  port: task.port,
  clock: systemClock,
  log: silentLog,
} as const
const say = (line: string) => void process.stdout.write(`${line}\n`)
let received = 0
const onMessage = () => {
  received += 1
  say(`received ${received}`)
}

if (task.listens) {
  const listener = await listen({
    ...common,
    tls: { key: task.keyPem, cert: task.certPem },
    limits: task.limits,
    authenticate: (user, password) => user === task.user && password === task.password,
    onReady: () => say('ready'),
    onMessage,
  })
  say(`port ${listener.port}`)
} else {
  connect({
    ...common,
    ca: task.caPem,
    user: task.user,
    password: task.password,
    limits: task.limits,
    reconnect: { initialMs: 10, maxMs: 50 },
    onReady: () => say('ready'),
    onClose: () => say('closed'),
    onMessage,
  })
}
