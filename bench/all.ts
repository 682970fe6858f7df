/**
 * Runs all benchmarks one after the other and prints the machine and the tables of `docs/benchmarks`: `npm
 * run build && bun bench/all.ts [--rounds 5]`.
 */
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'

const BENCHES = ['start-up', 'memory', 'latency', 'throughput', 'submissions', 'sockets', 'scale']

const [cpu] = cpus()
const gigabytes = (totalmem() / 1e9).toFixed(0)
console.log(
  `${cpus().length} x ${cpu?.model}, ${gigabytes} GB, ${process.platform} ${release()}, Bun ${Bun.version}, ${new Date().toISOString()}`,
)
for (const bench of BENCHES) {
  const run = Bun.spawn([process.execPath, join(import.meta.dir, `${bench}.ts`), ...process.argv.slice(2)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if ((await run.exited) !== 0) process.exit(1)
}
