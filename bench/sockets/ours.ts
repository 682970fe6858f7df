/**
 * One end of the socket benchmark over the message sockets of svc (TLS 1.3, PLAIN). Argument: JSON, with
 * `ports` for the responding end.
 */
import { silentLog, systemClock } from '../../src/base/index.ts'
import { connect, type Listener, listen } from '../../src/protocol/socket.ts'
import { type Link, type Load, measure, respond, untilConnected } from './measure.mjs'

interface Task {
  caPem: string
  keyPem: string
  certPem: string
  ports?: [number, number]
  loads: Load[]
}

const task: Task = JSON.parse(process.argv[2] ?? '{}')
let handler: (body: Uint8Array) => void = () => undefined
const common = {
  host: '127.0.0.1',
  clock: systemClock,
  log: silentLog,
  onMessage: (body: Uint8Array) => handler(body),
}

function linkOf(sender: Pick<Listener, 'trySend' | 'send'>): Link {
  return {
    send: (body) => (sender.trySend(body) ? undefined : sender.send(body)),
    onMessage(next) {
      handler = next
    },
  }
}

const both = Promise.withResolvers<void>()
let readyCount = 0
const onReady = () => {
  readyCount += 1
  if (readyCount === 2) both.resolve()
}

if (task.ports) {
  const driver = { ...common, ca: task.caPem, user: 'bench', password: 'bench', onReady }
  connect({ ...driver, role: 'pull', port: task.ports[0] })
  const push = connect({ ...driver, role: 'push', port: task.ports[1] })
  await both.promise
  respond(linkOf(push))
} else {
  const server = {
    ...common,
    port: 0,
    tls: { key: task.keyPem, cert: task.certPem },
    authenticate: () => true,
  }
  const push = await listen({ ...server, role: 'push' })
  const pull = await listen({ ...server, role: 'pull' })
  process.stdout.write(`${JSON.stringify({ ports: [push.port, pull.port] })}\n`)
  await untilConnected(linkOf(push))
  for (const load of task.loads)
    process.stdout.write(`${JSON.stringify(await measure(linkOf(push), load))}\n`)
  process.exit(0)
}
