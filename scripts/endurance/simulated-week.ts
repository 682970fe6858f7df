/**
 * A week of operation in virtual time: `npx bun run scripts/endurance/simulated-week.ts [--seed 1] [--days 7]
 * [--jobs 50000]`. Real store, dispatcher, recovery and event handlers, scripted drivers; every promise is
 * checked after each change. With TMPDIR in memory, such as /dev/shm, the disk does not set the pace. Exits
 * with 1 when a promise is broken.
 */
import { parseArgs } from 'node:util'
import { simulateWeek } from '../../tests/support/week/week.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    days: { type: 'string', default: '7' },
    jobs: { type: 'string', default: '50000' },
  },
})
const [seed, days, jobs] = [Number(values.seed), Number(values.days), Number(values.jobs)]
const started = performance.now()
console.log(`seed ${seed}, ${days} days, ${jobs} jobs`)
const report = await simulateWeek({
  seed,
  days,
  jobs,
  onHour: (hour) => hour % 24 === 0 && console.error(`day ${hour / 24} is over`),
})
console.log(
  JSON.stringify({ ...report, seconds: Math.round((performance.now() - started) / 1_000) }, undefined, 2),
)
