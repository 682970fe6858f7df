/**
 * A libzmq socket behind a TLS tunnel, run by Node because the addon aborts in Bun. Argument: JSON of
 * `PeerTask` in libzmq-process.ts. Writes its events as lines to standard output.
 */
import zmq from 'zeromq'
import { digester, END, messages } from './messages.mjs'
import { tunnelFromTls, tunnelToTls } from './tunnel.mjs'

const task = JSON.parse(process.argv[2])
const print = (line) => void process.stdout.write(`${line}\n`)
const isPlain = task.mechanism === 'PLAIN'

/** Responds to libzmq's authentication requests on the port (RFC 27, ZAP). */
async function authenticate(user, password) {
  const zap = new zmq.Reply()
  await zap.bind('inproc://zeromq.zap.01')
  for await (const [version, id, , , , , name, secret] of zap) {
    const accepted = String(name) === user && String(secret) === password
    await zap.send([version, id, accepted ? '200' : '400', accepted ? 'OK' : 'refused', name, ''])
  }
}

const options = {
  linger: 0,
  // The default timeout is the interval, too short for a response behind a large message.
  heartbeatInterval: task.heartbeatMs,
  heartbeatTimeout: 3 * task.heartbeatMs,
  ...(isPlain && !task.listens && { plainUsername: task.user, plainPassword: task.password }),
  ...(isPlain && task.listens && { plainServer: true, zapDomain: 'svc' }),
}
const socket = task.role === 'push' ? new zmq.Push(options) : new zmq.Pull(options)
for (const event of ['handshake', 'disconnect', 'handshake:error:auth', 'handshake:error:protocol']) {
  socket.events.on(event, (details) =>
    print(`event ${event}${details.error ? ` ${details.error.status ?? details.error.code}` : ''}`),
  )
}

if (task.listens) {
  if (isPlain) void authenticate(task.user, task.password)
  await socket.bind('tcp://127.0.0.1:*')
  const port = Number(socket.lastEndpoint.split(':').at(-1))
  print(`port ${await tunnelFromTls(port, task.keyPem, task.certPem)}`)
} else {
  socket.connect(`tcp://127.0.0.1:${await tunnelToTls(task.port, task.caPem)}`)
}

async function push() {
  const digest = digester()
  for (const frames of messages()) {
    digest.add(frames)
    await socket.send(frames)
  }
  await socket.send(END)
  print(`digest ${digest.result()}`)
}

async function pull() {
  const digest = digester()
  for await (const frames of socket) {
    if (frames.length === 1 && String(frames[0]) === END) break
    digest.add(frames)
  }
  print(`digest ${digest.result()}`)
}

if (task.transfers) await (task.role === 'push' ? push() : pull())
// The socket and the tunnel stay open until the test ends this process.
setInterval(() => undefined, 1_000)
