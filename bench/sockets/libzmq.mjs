/**
 * One end of the socket benchmark over libzmq and plain TCP, run by Node. Argument: JSON, with `ports` for
 * the responding end.
 */
import zmq from 'zeromq'
import { measure, respond, untilConnected } from './measure.mjs'

const task = JSON.parse(process.argv[2])
const push = new zmq.Push({ linger: 0 })
const pull = new zmq.Pull({ linger: 0 })
let handler = () => undefined
const link = {
  send: (body) => push.send(body),
  onMessage(next) {
    handler = next
  },
}

async function receive() {
  for await (const [body] of pull) handler(body)
}

const portOf = (socket) => Number(socket.lastEndpoint.split(':').at(-1))

if (task.ports) {
  pull.connect(`tcp://127.0.0.1:${task.ports[0]}`)
  push.connect(`tcp://127.0.0.1:${task.ports[1]}`)
  void receive()
  respond(link)
} else {
  await push.bind('tcp://127.0.0.1:*')
  await pull.bind('tcp://127.0.0.1:*')
  process.stdout.write(`${JSON.stringify({ ports: [portOf(push), portOf(pull)] })}\n`)
  void receive()
  await untilConnected(link)
  for (const load of task.loads) process.stdout.write(`${JSON.stringify(await measure(link, load))}\n`)
  process.exit(0)
}
