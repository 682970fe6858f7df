/**
 * What a full calibration of a simulated chip costs: `bun bench/tuning/full-run.ts [--columns 5] [--rows 1]
 * [--seed 1]`. 5 × 1 are five qubits with four edges, 5 × 5 are 25 with 40. "blocked" is the longest time
 * for which the event loop of the process had no turn while it worked: on a busy machine a process also
 * waits for a processor. Exits 1 when a limit is exceeded; the time is that of the processor, too.
 */
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { watchEventLoop } from '../../src/base/index.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { openBench } from '../../tests/support/tuning/acceptance/cold-run.ts'
import { designFile } from '../../tests/support/tuning/acceptance/design-file.ts'
import { formatFigure } from '../support/figures.ts'
import { printTable } from '../support/output.ts'

/** Seconds for a chip of up to so many qubits, ms, and MB. */
const LIMITS = { smallQubits: 5, small: 60, large: 480, blocked: 100, memory: 400 } as const
const WATCH_MS = 5

const { values: flags } = parseArgs({
  options: {
    columns: { type: 'string', default: '5' },
    rows: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
  },
})
const grid = { columns: Number(flags.columns), rows: Number(flags.rows) }
const [load = 0] = loadavg()
using folder = temporaryFolder()
const bench = await openBench({
  folder: folder.path,
  deviceFile: designFile(grid),
  seed: Number(flags.seed),
  isObserved: false,
})
let [blocked, memory] = [0, 0]
const processorMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}
let last = processorMs()
const stop = watchEventLoop((delay) => {
  const now = processorMs()
  blocked = Math.max(blocked, Math.min(delay, now - last))
  last = now
  memory = Math.max(memory, process.memoryUsage.rss() / 1e6)
}, WATCH_MS)
const start = performance.now()
const worked = processorMs()
const { status, routines = [] } = await bench.calibrate()
const seconds = (performance.now() - start) / 1000
const processor = (processorMs() - worked) / 1000
stop()

const qubits = grid.columns * grid.rows
const limit = qubits <= LIMITS.smallQubits ? LIMITS.small : LIMITS.large
const succeeded = routines.filter((each) => each.status === 'success').length
console.log(`seed ${flags.seed}, load average before: ${load.toFixed(1)}; ${status}\n`)
printTable(
  ['qubits', 'edges', 'succeeded', 's', 'processor s', 'blocked, ms', 'memory, MB'],
  [
    [
      String(qubits),
      String(Object.keys(bench.truth.edges).length),
      `${succeeded} of ${routines.length}`,
      ...[seconds, processor, blocked, memory].map(formatFigure),
    ],
  ],
)
if (processor > limit || blocked > LIMITS.blocked || memory > LIMITS.memory) process.exit(1)
