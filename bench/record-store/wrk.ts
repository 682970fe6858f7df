import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Load {
  method?: 'GET' | 'POST'
  url: string
  token: string
  body?: unknown
  /** Number of connections; fewer than 8 if responses take so long that only few arrive. */
  connections?: number
}

const SECONDS = 4

/**
 * Repeats one request for 4 s and returns the responses per second. @throws Error if a response is not a
 * success.
 */
export async function responsesPerSecond({
  method = 'GET',
  url,
  token,
  body,
  connections = 8,
}: Load): Promise<number> {
  const script = join(tmpdir(), `svc-bench-${crypto.randomUUID()}.lua`)
  const lines = [
    `wrk.method = ${JSON.stringify(method)}`,
    `wrk.headers["Authorization"] = ${JSON.stringify(token)}`,
    ...(body === undefined
      ? []
      : [
          'wrk.headers["Content-Type"] = "application/json"',
          `wrk.body = ${JSON.stringify(JSON.stringify(body))}`,
        ]),
  ]
  await Bun.write(script, lines.join('\n'))
  const wrk = Bun.spawn(
    ['wrk', '--threads', '1', '--connections', String(connections), '--duration', `${SECONDS}s`].concat([
      '--timeout',
      '20s',
      '--script',
      script,
      url,
    ]),
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const out = await new Response(wrk.stdout).text()
  rmSync(script)
  const perSecond = Number(/^Requests\/sec:\s+([\d.]+)/m.exec(out)?.[1])
  if (/Non-2xx|Socket errors/.test(out) || !(perSecond > 0)) throw new Error(`${method} ${url}: ${out}`)
  return perSecond
}
