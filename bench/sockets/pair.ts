import { join } from 'node:path'
import { makeTestCertificates } from '../../tests/support/sockets/certificates.ts'
import type { Figures, Load } from './measure.mjs'

/** Runs `command` in two processes, one for each end, and returns the figures of each load. */
export async function measurePair(command: string[], task: object, loads: Load[]): Promise<Figures[]> {
  const start = (extra: object) =>
    Bun.spawn([...command, JSON.stringify({ ...task, ...extra })], { stdout: 'pipe', stderr: 'inherit' })
  const measuring = start({ loads })
  const lines: string[] = []
  let responding: ReturnType<typeof start> | undefined
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of measuring.stdout) {
    rest += decoder.decode(chunk, { stream: true })
    const complete = rest.split('\n')
    rest = complete.pop() ?? ''
    lines.push(...complete)
    if (responding || lines[0] === undefined) continue
    responding = start(JSON.parse(lines[0]))
    // Without this, the measuring end would wait forever for a responding end that fails.
    void responding.exited.then(() => measuring.kill())
  }
  responding?.kill()
  if (lines.length !== loads.length + 1) throw new Error(`${command.join(' ')} ended early`)
  return lines.slice(1).map((line) => JSON.parse(line))
}

/** The message sockets of svc: TLS 1.3, authenticated, both ends under Bun. */
export async function measureOurs(loads: Load[]): Promise<Figures[]> {
  const { caPem, keyPem, certPem } = await makeTestCertificates()
  const command = [process.execPath, join(import.meta.dir, 'ours.ts')]
  return measurePair(command, { caPem, keyPem, certPem }, loads)
}

/** libzmq without TLS. @throws Error if Node is not installed, the only runtime that libzmq supports. */
export async function measureLibzmq(loads: Load[]): Promise<Figures[]> {
  const node = Bun.which('node')
  if (!node) throw new Error('node is not on the PATH; libzmq runs under Node only')
  return measurePair([node, join(import.meta.dir, 'libzmq.mjs')], {}, loads)
}
