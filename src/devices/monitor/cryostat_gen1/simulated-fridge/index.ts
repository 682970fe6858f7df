import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Clock } from '../../../../base/index.ts'
import { coolDown, type Incidents } from './cool-down.ts'
import { errorBody, FAULTS, type FridgeFault, nodeOf, send } from './faults.ts'

interface FridgeOptions {
  clock: Clock
  /** 0 for any free port. */
  port?: number
  /** Required as `?key=` when given. */
  apiKey?: string
  /** Replies as `data.content` (`single`) or `data["<path>"].content` (`flat`); `flat` by default. */
  shape?: 'single' | 'flat'
  /** Delay of each response; 0 by default. */
  latencyMs?: number
  /** Simulated seconds per second; 1 by default. */
  timeScale?: number
  /** Simulated seconds that have passed at the start. */
  startAt?: number
  incidents?: Incidents
  /** Makes it an https server: certificate and key, PEM. */
  tls?: { cert: string; key: string }
}

/** A running simulated fridge. */
export interface SimulatedFridge extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** Targets (path and query) of all requests, in order; a test may empty it. */
  requests: string[]
  /** Maximum number of requests open at the same time. */
  readonly maxParallel: number
  /** Faults by channel path; `*` is for all others. */
  faults: Map<string, FridgeFault>
  /** Channels whose value is a text, by path. */
  texts: Map<string, string>
  /** Current value of a channel. */
  numberOf(path: string): number | undefined
  stop(): Promise<void>
}

/**
 * Serves the HTTP interface of a cryostat's control software on 127.0.0.1 during a simulated cool-down, with
 * faults on demand. For tests and demonstrations.
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
  let maxParallel = 0

  const numberOf = (path: string) =>
    channels.get(path)?.(startAt + ((clock.monotonic() - startedAt) / 1_000) * timeScale)

  function respondWithValue(path: string, response: ServerResponse): void {
    const value = texts.get(path) ?? numberOf(path)?.toString()
    const fault = value === undefined ? 'absent' : (faults.get(path) ?? faults.get('*'))
    const node = nodeOf(path, value ?? '', fault, clock.now())
    const reply = { data: shape === 'flat' ? { [path]: node } : node }
    const later = (ms: number, run: () => void) =>
      void clock.sleep(ms, stopping.signal).then(run, () => response.socket?.destroy())
    if (fault === undefined || fault === 'outdated' || fault === 'disconnected') {
      later(latencyMs, () => send(response, 200, reply))
    } else FAULTS[fault]({ path, reply, response, later })
  }

  function respond(request: IncomingMessage, response: ServerResponse): void {
    const target = request.url ?? '/'
    requests.push(target)
    open += 1
    maxParallel = Math.max(maxParallel, open)
    response.on('close', () => {
      open -= 1
    })
    const { pathname, searchParams } = new URL(target, 'http://fridge')
    if (apiKey !== undefined && searchParams.get('key') !== apiKey) {
      send(response, 403, errorBody(403, 'The key is missing or wrong'))
    } else if (pathname === '/system') send(response, 200, { data: SYSTEM })
    else if (!pathname.startsWith('/values/')) send(response, 404, errorBody(404, 'No such page'))
    else respondWithValue(pathname.slice('/values/'.length).replaceAll('/', '.'), response)
  }

  const server = tls ? createHttps(tls, respond) : createHttp(respond)
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
    get maxParallel() {
      return maxParallel
    },
    faults,
    texts,
    numberOf,
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

const SYSTEM = { system_name: 'Simulated fridge', system_version: '2.2', api_version: 'v2.0' }
