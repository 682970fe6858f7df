import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { CONTRACT_TOKEN, type ContractCase, type Exchange, type StubResponse } from './case.ts'
import { isSameBody } from './compare.ts'

/** A request as it arrived. */
interface Arrived {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

/** Whether a request changes nothing and may be repeated at will. */
export function isReading({ method, path }: Pick<Exchange, 'method' | 'path'>): boolean {
  return method === 'GET' || path === '/api/jobs/changes'
}

const HELD_MS = 100

/** Plays the server of one contract case, and notes each request that the case does not have. */
export class ContractStub implements AsyncDisposable {
  readonly #server: Server
  readonly #exchanges: readonly Exchange[]
  readonly #sent = new Map<Exchange, number>()
  readonly #keys = new Map<Exchange, string | undefined>()
  readonly #faults: string[] = []

  private constructor(exchanges: readonly Exchange[]) {
    this.#exchanges = exchanges
    this.#server = createServer((request, response) => void this.#respond(request, response))
  }

  static async open({ exchanges }: Pick<ContractCase, 'exchanges'>): Promise<ContractStub> {
    const stub = new ContractStub(exchanges)
    await new Promise<void>((resolve) => stub.#server.listen(0, '127.0.0.1', resolve))
    return stub
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** What the client did otherwise than the case says. */
  get breaches(): string[] {
    const missing = this.#exchanges.flatMap((exchange) => {
      const sent = this.#sent.get(exchange) ?? 0
      const wanted = exchange.responses.length
      const isRight = isReading(exchange) ? sent >= wanted : sent === wanted
      return isRight ? [] : [`${exchange.method} ${exchange.path} was sent ${sent} times, not ${wanted}`]
    })
    return [...this.#faults, ...missing]
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const arrived = await read(request)
    const exchange = this.#exchanges.find((each) => isFor(each, arrived))
    const text = `${arrived.method} ${request.url} ${JSON.stringify(arrived.body) ?? ''}`
    if (!exchange) {
      this.#faults.push(`the case has no ${text}`)
      send(response, { status: 418, body: { status: 418, code: 'not_in_case', message: text, data: {} } })
      return
    }
    const sent = this.#sent.get(exchange) ?? 0
    this.#sent.set(exchange, sent + 1)
    this.#checkHeaders(exchange, arrived, sent)
    const next = exchange.responses[Math.min(sent, exchange.responses.length - 1)]
    // Servers hold these requests until something changes.
    if (arrived.query.has('wait') || (arrived.body as { wait?: number } | undefined)?.wait)
      await Bun.sleep(HELD_MS)
    if (!next || 'fault' in next) request.socket.destroy()
    else send(response, next)
  }

  #checkHeaders(exchange: Exchange, { headers }: Arrived, sent: number): void {
    const { method, path } = exchange
    if (headers.authorization !== `Bearer ${CONTRACT_TOKEN}`)
      this.#faults.push(`${method} ${path} has Authorization ${headers.authorization}`)
    for (const [name, value] of Object.entries(exchange.headers ?? {}))
      if (headers[name] !== value) this.#faults.push(`${method} ${path} has ${name} ${headers[name]}`)
    const key = String(headers['idempotency-key'] ?? '')
    const isSubmission = method === 'POST' && path === '/api/jobs' && exchange.query?.['dry_run'] !== 'true'
    if (isSubmission && key === '') this.#faults.push('the submission has no Idempotency-Key')
    if (sent > 0 && this.#keys.get(exchange) !== key) this.#faults.push('a repetition has another key')
    this.#keys.set(exchange, key)
  }
}

/** A body is compared only where the case has one: errors may name fields that clients do not send. */
function isFor({ method, path, query = {}, body }: Exchange, arrived: Arrived): boolean {
  return (
    method === arrived.method &&
    path === arrived.path &&
    Object.entries(query).every(([name, value]) => arrived.query.get(name) === value) &&
    isSameBody(path, arrived.body ?? {}, body ?? {})
  )
}

async function read(request: IncomingMessage): Promise<Arrived> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const raw = Buffer.concat(chunks)
  const plain = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://stub')
  return {
    ...{ method: request.method ?? '', path: pathname, query: searchParams, headers: request.headers },
    body: plain.length > 0 ? JSON.parse(plain.toString()) : undefined,
  }
}

function send(response: ServerResponse, given: Exclude<StubResponse, { fault: string }>): void {
  const { status, headers = {}, body } = given
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
  response.end(isText || body === undefined ? body : JSON.stringify(body))
}
