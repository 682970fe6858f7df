import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, freePortRange } from '../free-port.ts'
import { SVC } from './service.ts'

/** A block of commands of a page. */
export interface Block {
  /** `server` and `driver` blocks run in the background, as in a terminal of their own. */
  role: string
  code: string
}

/** The blocks of a page that its readers run. */
export function blocksOf(page: string): Block[] {
  return [...readFileSync(page, 'utf8').matchAll(/^```sh ?(\w*)\n([\s\S]*?)^```$/gm)].map(
    ([, role = '', code = '']) => ({ role, code }),
  )
}

/** One shell that runs the page from top to bottom and prints a mark before each block. */
function scriptOf(blocks: readonly Block[], port: number): string {
  const steps = blocks.map(({ role, code }, n) => {
    const here = code.replaceAll('127.0.0.1:8090', `127.0.0.1:${port}`)
    if (role === 'server') {
      const range = freePortRange(20)
      const flags = `--server-port ${port} --https-port 0 --port-range-start ${range} --port-range-end ${range + 19}`
      return `echo "== ${n}"\n${here.trim()} ${flags} > server.log 2>&1 &\nsleep_until_healthy`
    }
    return role === 'driver'
      ? `echo "== ${n}"\nexec_driver() { exec ${here.trim()}; }\nexec_driver > driver.log 2>&1 &`
      : `echo "== ${n}"\n${here}`
  })
  return `set -u
trap 'kill $(jobs -p) 2>/dev/null; wait' EXIT
sleep_until_healthy() { until curl -sf http://127.0.0.1:${port}/api/health >/dev/null; do sleep 0.05; done; }
${steps.join('\n')}
`
}

/**
 * Runs the blocks of a page from top to bottom in `folder`, which is also the home folder, with the
 * executable as `svc`. The log of the server is in `server.log`, that of the driver in `driver.log`.
 */
export async function runPage(
  blocks: readonly Block[],
  folder: string,
): Promise<{ out: string; err: string }> {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  symlinkSync(SVC, join(bin, 'svc'))
  const shell = Bun.spawn(['bash', '-c', scriptOf(blocks, freePort())], {
    cwd: folder,
    env: { HOME: folder, PATH: `${bin}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [out, err] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
    shell.exited,
  ])
  return { out, err }
}
