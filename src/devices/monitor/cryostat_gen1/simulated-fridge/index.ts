import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../../../base/index.ts'
import { coolDown, type Incidents } from './cool-down.ts'
import { complaint, FAULTS, type FridgeFault, nodeOf, send } from './faults.ts'

interface FridgeOptions {
  clock: Clock
  /** 0 for any free port. */
  port?: number
  /** Required as `?key=` when given. */
  apiKey?: string
  /** Replies as `data.content` (`single`) or `data["<path>"].content` (`flat`); `flat` by default. */
  shape?: 'single' | 'flat'
  /** How long each value takes; 0 by default. */
  latencyMs?: number
  /** Played seconds per second; 1 by default. */
  timeScale?: number
  /** Played seconds that have passed at the start. */
  startAt?: number
  incidents?: Incidents
  /** Makes it an https server: certificate and key, PEM. */
  tls?: { cert: string; key: string }
}

/** A fridge at work. */
export interface SimulatedFridge extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** Targets (path and query) of all requests, in order; a test may empty it. */
  requests: string[]
  /** Most requests that were open at the same time. */
  readonly parallelMax: number
  /** Faults by channel path; `*` is for all others. */
  faults: Map<string, FridgeFault>
  /** Channels that show a text, by path. */
  texts: Map<string, string>
  /** Number a channel shows now. */
  numberOf(path: string): number | undefined
  stop(): Promise<void>
}

/**
 * Plays the HTTP interface of a cryostat's control software on 127.0.0.1 during a cool-down, with faults on demand.
 * For tests and demonstrations: the device cannot tell it from the real thing.
 */
export async function startSimulatedFridge(options: FridgeOptions): Promise<SimulatedFridge> {
  const { clock, apiKey, shape = 'flat', latencyMs = 0, timeScale = 1, startAt = 0, tls } = options
  const channels = coolDown(options.incidents)
  const startedAt = clock.monotonic()
  const faults = new Map<string, FridgeFault>()
  const texts = new Map<string, string>([['mapper.bf.pulse_tube', 'on']])
  const requests: string[] = []
  const stopping = new AbortController()
  let open = 0
  let parallelMax = 0

  const numberOf = (path: string) =>
    channels.get(path)?.(startAt + ((clock.monotonic() - startedAt) / 1_000) * timeScale)

  function answerValue(path: string, response: ServerResponse): void {
    const value = texts.get(path) ?? numberOf(path)?.toString()
    const fault = value === undefined ? 'absent' : (faults.get(path) ?? faults.get('*'))
    const node = nodeOf(path, value ?? '', fault, clock.now())
    const reply = { data: shape === 'flat' ? { [path]: node } : node }
    const later = (ms: number, act: () => void) =>
      void clock.sleep(ms, stopping.signal).then(act, () => response.socket?.destroy())
    if (fault === undefined || fault === 'outdated' || fault === 'disconnected') {
      later(latencyMs, () => send(response, 200, reply))
    } else FAULTS[fault]({ path, reply, response, later })
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const target = request.url ?? '/'
    requests.push(target)
    open += 1
    parallelMax = Math.max(parallelMax, open)
    response.on('close', () => {
      open -= 1
    })
    const { pathname, searchParams } = new URL(target, 'http://fridge')
    if (apiKey !== undefined && searchParams.get('key') !== apiKey) {
      send(response, 403, complaint(403, 'The key is missing or wrong'))
    } else if (pathname === '/system') send(response, 200, { data: SYSTEM })
    else if (!pathname.startsWith('/values/')) send(response, 404, complaint(404, 'No such page'))
    else answerValue(pathname.slice('/values/'.length).replaceAll('/', '.'), response)
  }

  const server = tls ? createHttps(tls, answer) : createHttp(answer)
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo
  async function stop(): Promise<void> {
    stopping.abort()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    requests,
    get parallelMax() {
      return parallelMax
    },
    faults,
    texts,
    numberOf,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

const SYSTEM = { system_name: 'Simulated fridge', system_version: '2.2', api_version: 'v2.0' }
