import { expect, setDefaultTimeout, test } from 'bun:test'
import { SVC } from '../../support/executable/service.ts'
import { faultRuns } from '../../support/faults/fault-runs.ts'
import { freePortRange } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const RUNS = faultRuns(1)
setDefaultTimeout(60_000 + RUNS * 20_000)

/** Starts a server whose output goes through the shell to `output`. */
function serve(folder: string, port: number, output: string) {
  const flags = `--server-port ${port} --https-port 0 --port-range-start ${port + 1} --port-range-end ${port + 4}`
  return Bun.spawn(['sh', '-c', `exec "${SVC}" serve ${flags} ${output}`], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

const isHealthy = (port: number) => fetch(`http://127.0.0.1:${port}/api/health`).then(({ ok }) => ok)

test.each([
  ['standard output is full', '>/dev/full'],
  ['the log is full', '2>/dev/full'],
  ['both are full', '>/dev/full 2>&1'],
  ['both are closed', '>&- 2>&-'],
])('a server starts in a fresh folder, serves and stops when %s', async (_, output) => {
  for (let run = 0; run < RUNS; run += 1) {
    using folder = temporaryFolder()
    const port = freePortRange(5)
    const server = serve(folder.path, port, output)
    await until('the server serves', () => isHealthy(port))
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  }
})

test('a server goes on when its reader leaves after the first line, and its folder can be used after a kill', async () => {
  for (let run = 0; run < RUNS; run += 1) {
    using folder = temporaryFolder()
    const port = freePortRange(5)
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const server = serve(folder.path, port, '2>&1')
      const reader = server.stdout.getReader()
      await reader.read()
      await reader.cancel()
      await until('the server serves', () => isHealthy(port))
      server.kill(signal)
      expect(await server.exited).toBe(signal === 'SIGKILL' ? 137 : 0)
    }
  }
})
