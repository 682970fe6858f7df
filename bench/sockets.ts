/**
 * Our message sockets (TLS 1.3, authenticated, Bun) against libzmq (plain TCP, Node), each with sender and
 * receiver in processes of their own: `bun bench/sockets.ts [--rounds 3]`. Prints the median of the rounds;
 * latency is a round trip of one message over a PUSH and a PULL socket.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeTestCertificates } from '../tests/support/certificates.ts'
import type { Figures, Load } from './sockets/measure.mjs'

const LOADS: (Load & { name: string })[] = [
  { name: '200 B', size: 200, messages: 200_000, roundTrips: 3_000 },
  { name: '10 KB', size: 10_000, messages: 20_000, roundTrips: 3_000 },
  { name: '1 MB', size: 1_000_000, messages: 400, roundTrips: 200 },
]

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } })
const rounds = Number(values.rounds)
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`--rounds is "${values.rounds}"; give a whole number from 1 on`)
  process.exit(1)
}
const node = Bun.which('node')
if (!node) {
  console.error('node is not on the PATH; libzmq runs under Node only')
  process.exit(1)
}

/** Runs both ends once and returns the figures of each load. */
async function runOnce(command: string[], task: object): Promise<Figures[]> {
  const start = (extra: object) =>
    Bun.spawn([...command, JSON.stringify({ ...task, ...extra })], { stdout: 'pipe', stderr: 'inherit' })
  const measuring = start({ loads: LOADS })
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
  if (lines.length !== LOADS.length + 1) throw new Error(`${command.join(' ')} ended early`)
  return lines.slice(1).map((line) => JSON.parse(line))
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function medianOf(runs: Figures[][], load: number, field: keyof Figures): number {
  return median(runs.map((run) => run[load]?.[field] ?? Number.NaN))
}

const { caPem, keyPem, certPem } = await makeTestCertificates()
const folder = join(import.meta.dir, 'sockets')
const ours: Figures[][] = []
const libzmq: Figures[][] = []
for (let round = 0; round < rounds; round++) {
  ours.push(await runOnce([process.execPath, join(folder, 'ours.ts')], { caPem, keyPem, certPem }))
  libzmq.push(await runOnce([node, join(folder, 'libzmq.mjs')], {}))
}

console.log(`Median of ${rounds} rounds; ratio above 1 means ours is better`)
console.table(
  LOADS.flatMap(({ name }, load) =>
    (['perSecond', 'p50', 'p99'] as const).map((field) => {
      const [own, other] = [medianOf(ours, load, field), medianOf(libzmq, load, field)]
      return {
        message: name,
        figure: field === 'perSecond' ? 'messages/s' : `round trip ${field} (µs)`,
        'ours (TLS, Bun)': Math.round(own),
        'libzmq (TCP, Node)': Math.round(other),
        ratio: (field === 'perSecond' ? own / other : other / own).toFixed(2),
      }
    }),
  ),
)
