import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type Armed, FaultLab, ROW_RUNS, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(ROW_TIMEOUT_MS)

let lab: FaultLab

beforeAll(async () => {
  lab = await FaultLab.open()
})
afterAll(() => lab.close())

/** Runs everything that the rounds have left in the queue. */
async function runAll(): Promise<void> {
  await using _driver = await lab.startDriver({ options: ['latency=0'] })
  const open = () => lab.count(`SELECT count(*) FROM quantum_jobs WHERE status IN ('pending', 'running')`)
  await until('an empty queue', async () => open() === 0, { timeoutMs: ROW_TIMEOUT_MS })
}

test.each<[string, Armed]>([
  ['F1 before the transaction', 'submit job.before:1:kill'],
  ['F1 in the transaction', 'submit job.inside:1:kill'],
  ['F1 after the commit', 'submit job.after:1:kill'],
  ['F1 hung in the transaction', 'submit job.inside:1:hang'],
  ['F1 hung after the commit', 'submit job.after:1:hang'],
  ['F1 error in the transaction', 'submit job.inside:1:throw'],
  ['F1 error after the commit', 'submit job.after:1:throw'],
])('%s: the client repeats its submission, and there is one job', (name, armed) =>
  lab.row(
    name,
    async ({ submit }) => {
      await lab.restart(armed)
      const accepted = [submit(), submit(), submit()]
      await lab.hit(armed)
      await lab.restart()
      expect(new Set(await Promise.all(accepted)).size).toBe(3)
    },
    { finish: runAll },
  ),
)

const CLIENTS = 8
/**
 * The server responds to the submissions of a round within some 10 ms: a kill falls before, into or after
 * them.
 */
const MAX_LIFE_MS = 30

test('F1 at random moments: no accepted job is lost, and no submission makes two', () =>
  lab.row(
    'F1 at random moments',
    async ({ submit }) => {
      const accepted = Array.from({ length: CLIENTS }, () => submit())
      await Bun.sleep(Math.random() * MAX_LIFE_MS)
      await lab.restart()
      await Promise.all(accepted)
    },
    { runs: ROW_RUNS * 10, finish: runAll },
  ))
