/**
 * Compares the message sockets of svc (TLS 1.3, authenticated, Bun) with libzmq (plain TCP, Node) in the same
 * run, with sender and receiver in separate processes: `bun bench/sockets.ts [--rounds 5]`. Latency is a
 * round trip of one message over a PUSH and a PULL socket.
 */
import type { Figures, Load } from './sockets/measure.mjs'
import { measureLibzmq, measureOurs } from './sockets/pair.ts'
import { spreadOf } from './support/figures.ts'
import { printTable, startBench } from './support/output.ts'

const LOADS: (Load & { name: string })[] = [
  { name: '200 B', size: 200, messages: 200_000, roundTrips: 3_000 },
  { name: '10 KB', size: 10_000, messages: 20_000, roundTrips: 3_000 },
  { name: '1 MB', size: 1_000_000, messages: 400, roundTrips: 200 },
]

const { rounds } = startBench('Message sockets')
const ours: Figures[][] = []
const libzmq: Figures[][] = []
for (let round = 0; round < rounds; round++) {
  ours.push(await measureOurs(LOADS))
  libzmq.push(await measureLibzmq(LOADS))
}

function medianOf(runs: Figures[][], load: number, field: keyof Figures): number {
  return spreadOf(runs.map((run) => run[load]?.[field] ?? Number.NaN)).median
}

printTable(
  [
    'message',
    'figure (median of the rounds)',
    'svc (TLS, Bun)',
    'libzmq (TCP, Node)',
    'ratio, above 1 = svc is better',
  ],
  LOADS.flatMap(({ name }, load) =>
    (['perSecond', 'p50', 'p99'] as const).map((field) => {
      const [own, other] = [medianOf(ours, load, field), medianOf(libzmq, load, field)]
      const figure = field === 'perSecond' ? 'messages/s' : `round trip ${field}, µs`
      return [name, figure, own, other, field === 'perSecond' ? own / other : other / own]
    }),
  ),
)
