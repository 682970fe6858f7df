import {
  flag,
  group,
  isObject,
  kinds,
  MINUTE_MS,
  messageOf,
  switchFlag,
  systemClock,
  withTimeout,
} from '../base/index.ts'
import { localAddress, SETTINGS } from '../server/index.ts'
import { defineCommand } from './command-line/command.ts'
import { loadConfig } from './command-line/server-config.ts'
import { ExitError } from './command-line/usage-error.ts'

const FLAGS = group('Options', {
  url: flag(kinds.httpUrl(), 'Address of the server; if unset, that of the settings on this machine'),
  ready: switchFlag(kinds.bool(), 'Also check that writes succeed, ports are open and loops run'),
  timeout: flag(kinds.duration(1, 10 * MINUTE_MS), 'Time for the answer', { default: '5s' }),
})

export const healthCommand = defineCommand({
  summary: 'Check a running server, for containers and scripts; status 1 if it is not healthy',
  flags: FLAGS,
  settings: { configFile: { ...SETTINGS.configFile, group: 'Options' } },
  async run({ flags: { url, ready, timeout }, given }) {
    const address = url ?? localAddress(loadConfig(given))
    const { isHealthy, text } = await request(
      new URL(`/api/health${ready ? '?ready=1' : ''}`, address),
      timeout,
    )
    if (!isHealthy) throw new ExitError(1, `${address} responded ${text}`)
    return { url: address, healthy: true, ready }
  },
  print({ url, ready }) {
    console.log(`${url}: ${ready ? 'ready' : 'healthy'}`)
  },
})

interface Answer {
  isHealthy: boolean
  /** Status of the response with its message. */
  text: string
}

/** @throws ExitError 1 without a whole response in time. */
async function request(url: URL, ms: number): Promise<Answer> {
  const onTimeout = () => {
    throw new Error(`no response in ${ms} ms`)
  }
  try {
    return await withTimeout((signal) => ask(url, signal), { clock: systemClock, ms, onTimeout })
  } catch (error) {
    throw new ExitError(1, `${url.origin} does not respond: ${reasonOf(error)}`)
  }
}

/** The runtime's text for a closed port asks about the address and the network. */
function reasonOf(error: unknown): string {
  const isClosed = isObject(error) && error['code'] === 'ECONNREFUSED'
  if (!isClosed) return messageOf(error)
  return 'nothing listens there; start the server with svc serve, or name another address with --url'
}

async function ask(url: URL, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(url, { redirect: 'manual', keepalive: false, signal })
  const body: unknown = await response.json().catch(() => undefined)
  // Something else may listen there: the answer of the server has a code and a message.
  if (!isObject(body)) return { isHealthy: false, text: `${response.status}: no answer of svc` }
  return { isHealthy: response.ok && body['code'] === 200, text: `${response.status}: ${body['message']}` }
}
