import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { SVC } from '../../support/executable/service.ts'
import { freePortRange } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const PAGE = join(import.meta.dir, '../../../docs/tutorials/first-job.md')

interface Block {
  /** `server` and `driver` blocks run in the background, as in a terminal of their own. */
  role: string
  code: string
}

function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^```sh ?(\w*)\n([\s\S]*?)^```$/gm)].map(([, role = '', code = '']) => ({
    role,
    code,
  }))
}

/** One shell that runs the page from top to bottom and prints a mark before each block. */
function scriptOf(blocks: Block[], port: number): string {
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

test('the tutorial works as printed: register, start driver, submit, read, pay', async () => {
  using folder = temporaryFolder()
  const bin = join(folder.path, 'bin')
  mkdirSync(bin)
  symlinkSync(SVC, join(bin, 'svc'))
  const blocks = blocksOf(readFileSync(PAGE, 'utf8'))
  expect(blocks.map((block) => block.role).filter(Boolean)).toEqual(['server', 'driver'])
  const shell = Bun.spawn(['bash', '-c', scriptOf(blocks, 18_090)], {
    cwd: folder.path,
    env: { HOME: folder.path, PATH: `${bin}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = await until('the tutorial to end', async () => shell.exited.then(() => true), {
    timeoutMs: 60_000,
  })
  const out = await new Response(shell.stdout).text()
  const err = await new Response(shell.stderr).text()
  expect(ended).toBe(true)
  expect(err).toBe('')
  expect(out).toContain('"name":"kelvin_5"')
  const counts = JSON.parse(/"counts":(\{[^}]*\})/.exec(out)?.[1] ?? '{}') as Record<string, number>
  expect(Object.keys(counts).sort()).toEqual(['00', '11'])
  expect((counts['00'] ?? 0) + (counts['11'] ?? 0)).toBe(1000)
  const balance = Number(/"qpu_seconds":(\d+\.\d+)\n/.exec(out)?.[1])
  expect(balance).toBeLessThan(60)
  expect(balance).toBeGreaterThan(50)
  expect(out).toContain('"params":{"line":1,"column":24}')
}, 90_000)
