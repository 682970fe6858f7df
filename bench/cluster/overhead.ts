/**
 * What a job through `scheduler_a` on the fake cluster takes beside its shots:
 * `bun bench/cluster/overhead.ts [--jobs 30] [--shots 1024] [--command-sets 1.0,1.1]`. Five qubits of the
 * examples, a layer of rotations, CX of all neighbors, and a measurement of all. "new" circuits are compiled
 * and uploaded; "known" ones are in the memory of the sequencers. Time of the wall, from the circuit to its
 * counts, less shots times their length; the emulation of the cluster, in the same process, counts as
 * overhead, as far as it is longer than the shots. Exits with 1 when a median misses the goal.
 */
import { parseArgs } from 'node:util'
import { ioOf, openProcess, payloadOf } from '../../tests/devices/support/jobs.ts'
import { SharedCluster } from '../../tests/support/cluster/shared-cluster.ts'
import { percentile } from '../support/figures.ts'
import { printHead, printRow } from '../support/output.ts'

const GOAL_MS = 150
const QUBITS = 5
/** Jobs that are not counted: a driver runs for weeks. */
const WARM_UP = 5

const { values: flags } = parseArgs({
  options: {
    jobs: { type: 'string', default: '30' },
    shots: { type: 'string', default: '1024' },
    'command-sets': { type: 'string', default: '1.0,1.1' },
  },
})
const [jobs, shots] = [Number(flags.jobs), Number(flags.shots)]

function circuitOf(angle: number): string {
  const rotations = Array.from({ length: QUBITS }, (_, at) => `rx(${angle + at / 10}) q[${at}];`)
  const gates = Array.from({ length: QUBITS - 1 }, (_, at) => `cx q[${at}], q[${at + 1}];`)
  const declared = `OPENQASM 3.0; include "stdgates.inc"; qubit[${QUBITS}] q; bit[${QUBITS}] c;`
  return [declared, ...rotations, ...gates, 'c = measure q;'].join(' ')
}

printHead(['command set', 'circuit', 'shots, ms', 'overhead, ms', '95 %', 'processor, ms', 'met'])
let isMissed = false
for (const scpiVersion of flags['command-sets'].split(',')) {
  await using shared = await SharedCluster.start({ scpiVersion })
  const device = await openProcess('scheduler_a', shared.options)
  for (const [name, angleOf] of [
    ['new', (at: number) => 0.2 + at / 100],
    ['known', () => 0.1],
  ] as const) {
    const [overheads, processor]: [number[], number[]] = [[], []]
    let shotsMs = 0
    for (let at = 0; at < WARM_UP + jobs; at++) {
      const payload = payloadOf([circuitOf(angleOf(at))], { shots })
      const [start, before] = [performance.now(), process.cpuUsage()]
      const { circuit_results } = await device.run({ id: `job${at}`, attempt: 1, payload }, ioOf(60_000))
      const [ms, { user, system }] = [performance.now() - start, process.cpuUsage(before)]
      shotsMs = (shots * Number(circuit_results[0]?.metadata?.['shot_ns'])) / 1e6
      if (at < WARM_UP) continue
      overheads.push(ms - shotsMs)
      processor.push((user + system) / 1_000)
    }
    const median = percentile(overheads, 0.5)
    // Not so when there is no figure, too.
    const isMet = median <= GOAL_MS
    isMissed ||= !isMet
    printRow([
      scpiVersion,
      name,
      shotsMs,
      median,
      percentile(overheads, 0.95),
      percentile(processor, 0.5),
      isMet ? 'yes' : 'NO',
    ])
  }
  await device.stop?.({ extend: () => undefined })
}
process.exit(isMissed ? 1 : 0)
