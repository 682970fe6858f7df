import { join } from 'node:path'
import { makeTestCertificates } from '../../tests/support/sockets/certificates.ts'
import type { Figures, Load } from './measure.mjs'

/**
 * Starts the two ends that `command` makes, each in a process of its own, and returns the figures of each
 * load.
 */
export async function measurePair(command: string[], task: object, loads: Load[]): Promise<Figures[]> {
  const start = (extra: object) =>
    Bun.spawn([...command, JSON.stringify({ ...task, ...extra })], { stdout: 'pipe', stderr: 'inherit' })
  const measuring = start({ loads })
  const lines: string[] = []
  let answering: ReturnType<typeof start> | undefined
  let rest = ''
  const decoder = new TextDecoder()
  for await (const chunk of measuring.stdout) {
    rest += decoder.decode(chunk, { stream: true })
    const complete = rest.split('\n')
    rest = complete.pop() ?? ''
    lines.push(...complete)
    if (answering || lines[0] === undefined) continue
    answering = start(JSON.parse(lines[0]))
    // An answering end that fails would leave the measuring one waiting for ever.
    void answering.exited.then(() => measuring.kill())
  }
  answering?.kill()
  if (lines.length !== loads.length + 1) throw new Error(`${command.join(' ')} ended early`)
  return lines.slice(1).map((line) => JSON.parse(line))
}

/** Our message sockets: TLS 1.3, authenticated, both ends under Bun. */
export async function measureOurs(loads: Load[]): Promise<Figures[]> {
  const { caPem, keyPem, certPem } = await makeTestCertificates()
  const command = [process.execPath, join(import.meta.dir, 'ours.ts')]
  return measurePair(command, { caPem, keyPem, certPem }, loads)
}

/** libzmq without TLS. @throws Error when there is no Node, the only runtime it works under. */
export async function measureLibzmq(loads: Load[]): Promise<Figures[]> {
  const node = Bun.which('node')
  if (!node) throw new Error('node is not on the PATH; libzmq runs under Node only')
  return measurePair([node, join(import.meta.dir, 'libzmq.mjs')], {}, loads)
}
