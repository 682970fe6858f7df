import { join } from 'node:path'
import { freePort } from '../../tests/support/free-port.ts'
import { until } from '../../tests/support/until.ts'
import { type Contestant, drainBy, fillBy, PAYLOAD, RESULT } from './contestant.ts'

interface Received {
  /** Where a reply goes. */
  reply: string
  /** Code of a status message, such as `404`: nothing waits. */
  status: string
  body: string
}

/** The part of the NATS protocol that requests need, over one connection. */
class NatsConnection {
  readonly #inbox = `_INBOX.${crypto.randomUUID()}`
  readonly #waiting = new Map<string, (message: Received) => void>()
  readonly #decoder = new TextDecoder('latin1')
  #socket: Bun.Socket | undefined
  #text = ''
  /** Inbox of the request that fetches, one at a time. */
  #fetching = ''
  #next = 0

  static async open(port: number): Promise<NatsConnection> {
    const connection = new NatsConnection()
    connection.#socket = await Bun.connect({
      hostname: '127.0.0.1',
      port,
      socket: { data: (_, chunk) => connection.#receive(connection.#decoder.decode(chunk)) },
    })
    connection.#write(
      `CONNECT {"verbose":false,"headers":true,"no_responders":true}\r\nSUB ${connection.#inbox}.* 1\r\n`,
    )
    return connection
  }

  request(subject: string, body: string): Promise<Received> {
    const { promise, resolve } = Promise.withResolvers<Received>()
    this.#next += 1
    const inbox = `${this.#inbox}.${this.#next}`
    this.#waiting.set(inbox, resolve)
    if (subject.includes('.MSG.NEXT.')) this.#fetching = inbox
    this.#write(`PUB ${subject} ${inbox} ${body.length}\r\n${body}\r\n`)
    return promise
  }

  close(): void {
    this.#socket?.end()
  }

  #write(text: string): void {
    this.#socket?.write(text)
  }

  #receive(text: string): void {
    this.#text += text
    for (;;) {
      const end = this.#text.indexOf('\r\n')
      if (end < 0) return
      const words = this.#text.slice(0, end).split(' ')
      if (words[0] === 'PING') this.#write('PONG\r\n')
      const isMessage = words[0] === 'MSG' || words[0] === 'HMSG'
      const length = isMessage ? Number(words.at(-1)) : -2
      if (this.#text.length < end + 2 + length + 2) return
      const content = this.#text.slice(end + 2, end + 2 + length)
      this.#text = this.#text.slice(end + 2 + length + 2)
      if (isMessage) this.#deliver(words, content)
    }
  }

  /** `MSG subject sid [reply] bytes` or `HMSG subject sid [reply] header-bytes bytes`. */
  #deliver(words: readonly string[], content: string): void {
    const hasHeaders = words[0] === 'HMSG'
    const headers = hasHeaders ? Number(words.at(-2)) : 0
    const reply = words.length === (hasHeaders ? 6 : 5) ? (words[3] ?? '') : ''
    const status = /^NATS\/1\.0 (\d+)/.exec(content)?.[1] ?? ''
    // A message that was fetched arrives under the subject it was published to.
    const key = this.#waiting.has(words[1] ?? '') ? (words[1] ?? '') : this.#fetching
    this.#waiting.get(key)?.({ reply, status, body: content.slice(headers) })
    this.#waiting.delete(key)
  }
}

/**
 * Streams of NATS JetStream in files that are flushed for each message (`sync_interval: always`): a job is
 * published with its confirmation, fetched alone, and acknowledged with a confirmation after its result was
 * published. The workers are connections of this process.
 */
export async function nats(folder: string, width: number): Promise<Contestant> {
  const port = freePort()
  const config = join(folder, 'nats.conf')
  await Bun.write(
    config,
    `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}", sync_interval: always }\n`,
  )
  const started = Bun.spawn(['nats-server', '-c', config], { stdio: ['ignore', 'ignore', 'ignore'] })
  const connections: NatsConnection[] = []
  const connect = async () => {
    const connection = await NatsConnection.open(port)
    connections.push(connection)
    return connection
  }
  await until('NATS to respond', async () => Boolean(await connect().catch(() => undefined)))
  const client = await connect()
  const call = async (subject: string, body: object) => {
    const { body: text, status } = await client.request(subject, JSON.stringify(body))
    if (status || JSON.parse(text).error) throw new Error(`${subject}: ${status}${text}`)
  }
  await until('JetStream to be ready', async () => {
    await call('$JS.API.STREAM.CREATE.JOBS', { name: 'JOBS', subjects: ['jobs'], storage: 'file' })
    return true
  })
  await call('$JS.API.STREAM.CREATE.RESULTS', { name: 'RESULTS', subjects: ['results'], storage: 'file' })
  await call('$JS.API.CONSUMER.DURABLE.CREATE.JOBS.workers', {
    stream_name: 'JOBS',
    config: { durable_name: 'workers', ack_policy: 'explicit', max_ack_pending: -1 },
  })
  const workers = await Promise.all(Array.from({ length: width }, connect))
  const add = async () => {
    const { status, body } = await client.request('jobs', PAYLOAD)
    if (status || !body.includes('"seq"')) throw new Error(`publishing returned ${status}${body}`)
  }
  const step = async (own: NatsConnection) => {
    const job = await own.request('$JS.API.CONSUMER.MSG.NEXT.JOBS.workers', '{"batch":1,"no_wait":true}')
    if (job.status) return false
    await own.request('results', RESULT)
    await own.request(job.reply, '+ACK')
    return true
  }
  return {
    server: [started.pid],
    workers: [process.pid],
    fill: (count) => fillBy(count, add),
    drain: () => drainBy(width, (worker) => step(workers[worker] ?? client)),
    async runOne() {
      const begun = performance.now()
      await add()
      await step(workers[0] ?? client)
      return performance.now() - begun
    },
    async [Symbol.asyncDispose]() {
      for (const each of connections) each.close()
      started.kill()
      await started.exited
    },
  }
}
