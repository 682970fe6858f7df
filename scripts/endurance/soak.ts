/**
 * Finds leaks: `npx bun run scripts/endurance/soak.ts [--minutes 20] [--rate 4] [--streams 4] [--out
 * samples.json]`. The built executable works under a steady load of every kind while memory and descriptors
 * of its processes are sampled; prints first, last and growth per hour (least squares, 95 %) after the
 * warm-up, the first quarter. Linux only.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { printTable } from '../../bench/support/output.ts'
import { ensureBuild } from '../ensure-build.ts'
import { Load } from './soak/load.ts'
import { childOf, MEASURES, Watch } from './soak/watch.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    rate: { type: 'string', default: '4' },
    streams: { type: 'string', default: '4' },
    out: { type: 'string' },
  },
})
const SAMPLE_MS = 2_000
const REPORT_EVERY = 30

await ensureBuild()
const folder = mkdtempSync(join(tmpdir(), 'svc-soak-'))
const load = await Load.open({ folder, jobsPerSecond: Number(values.rate), streams: Number(values.streams) })
const started = performance.now()
const hours = () => (performance.now() - started) / 3_600_000
const end = Number(values.minutes) / 60
await Bun.sleep(SAMPLE_MS)
const watches = [...load.pids()].flatMap(([name, pid]) =>
  name === 'server'
    ? [new Watch(name, pid)]
    : [new Watch(name, pid), new Watch(`${name}, device`, childOf(pid))],
)
for (let round = 0; hours() < end; round += 1) {
  if (hours() > end / 4) for (const watch of watches) watch.sample(hours())
  const [server] = watches
  if (round % REPORT_EVERY === 0 && server) {
    console.error(
      `${(hours() * 60).toFixed(0)} min: ${JSON.stringify(load.counts)}, server ${server.latest('rss')} MB`,
    )
  }
  await Bun.sleep(SAMPLE_MS)
}
await load[Symbol.asyncDispose]()
const doctor = await load.service.doctor()
if (values.out !== undefined) writeFileSync(values.out, JSON.stringify({ counts: load.counts, watches }))

console.log(`${values.minutes} minutes: ${JSON.stringify(load.counts)}; ${doctor.out.trim()}\n`)
const growth = (perHour: number, plusMinus: number) => `${perHour.toFixed(2)} ± ${plusMinus.toFixed(2)}`
printTable(
  ['', ...['RSS (MB)', 'own (MB)', 'descriptors'].flatMap((name) => [`${name} first`, 'last', 'per hour'])],
  watches.map((watch) => [
    watch.name,
    ...MEASURES.flatMap((measure) => {
      const { first, last, perHour, plusMinus } = watch.slope(measure)
      return [first.toFixed(1), last.toFixed(1), growth(perHour, plusMinus)]
    }),
  ]),
)
rmSync(folder, { recursive: true, force: true })
