import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import type { Running } from '../../support/executable/background-process.ts'
import {
  type Armed,
  type DriverAccess,
  FaultLab,
  ROW_TIMEOUT_MS,
  type Round,
} from '../../support/faults/fault-lab.ts'
import { until } from '../../support/until.ts'

// F6: a calibration is pending, or done with its one report, whatever dies.
setDefaultTimeout(ROW_TIMEOUT_MS)

const STOPWATCH = `${join(import.meta.dir, '../../../examples/tuner.ts')}#stopwatch`
let lab: FaultLab
let tuner: DriverAccess

beforeAll(async () => {
  lab = await FaultLab.open()
  tuner = await lab.addDriver('tuner', 'calibrate')
})
afterAll(() => lab.close())

const startTuner = (armed: Armed = ''): Promise<Running> =>
  lab.startDriver({ as: tuner, armed, operation: 'calibrate', device: STOPWATCH })

/** Requests a calibration and repeats that under the same key until the server responds. Returns its id. */
async function order(key: string): Promise<string> {
  const { service } = lab
  const token = await service.admin()
  return until('the response to the order', async () => {
    const response = await service.call<{ id: string }>('POST', '/api/op/calibrate/dispatch', {
      token,
      headers: { 'idempotency-key': key },
      body: { driver_id: tuner.id, mode: 'full' },
    })
    return response.status === 201 && response.body.id
  })
}

let orders = 0
const nextKey = () => `order-${++orders}`

/** Waits for the report of a request, and counts missing and duplicate ones. */
async function assertDone(id: string, { note }: Round): Promise<void> {
  const status = () =>
    lab.count(
      `SELECT count(*) FROM calibration_requests WHERE id = $id AND status = 'done' AND result <> ''`,
      { id },
    )
  await until('the calibration to be done', async () => status() === 1)
  const reports = lab.count('SELECT count(*) FROM calibration_results WHERE request = $id', { id })
  note('lost', reports === 0 ? 1 : 0)
  note('duplicated', Math.max(0, reports - 1))
  await lab.untilAcknowledged('tuner')
}

test.each<[string, Armed]>([
  ['F6 order in the transaction', 'queue calibration.inside:1:kill'],
  ['F6 order after the commit', 'queue calibration.after:1:kill'],
  ['F6 dispatch in the transaction', 'claim calibrations.inside:1:kill'],
  ['F6 dispatch after the commit', 'claim calibrations.after:1:kill'],
  ['F6 dispatch after send', 'calibration.sent:1:kill'],
  ['F6 report before the transaction', 'store report.before:1:kill'],
  ['F6 report in the transaction', 'store report.inside:1:kill'],
  ['F6 report after the commit', 'store report.after:1:kill'],
  ['F6 report hung in the transaction', 'store report.inside:1:hang'],
])('%s: the server dies, and the calibration is done in the end', (name, armed) =>
  lab.row(name, async (round) => {
    await lab.restart(armed)
    await using _tuner = await startTuner()
    const ordered = order(nextKey())
    await lab.hit(armed)
    await lab.restart()
    await assertDone(await ordered, round)
  }),
)

test.each<[string, Armed]>([
  ['F6 tuner after its report is written', 'outbox.written:1:kill'],
  ['F6 tuner after send', 'outbox.sent:1:kill'],
])('%s: the tuner dies, and its report is delivered', (name, armed) =>
  lab.row(name, async (round) => {
    await lab.restart()
    await using first = await startTuner(armed)
    const id = await order(nextKey())
    expect((await first.ended()).status).toBe(-1)
    await using _next = await startTuner()
    await assertDone(id, round)
  }),
)

test('F6 tuner dies during a run: the request fails with that reason, and the next one runs', () =>
  lab.row('F6 tuner executing', async (round) => {
    await lab.restart()
    await using first = await startTuner('calibration.executed:1:kill')
    const id = await order(nextKey())
    expect((await first.ended()).status).toBe(-1)
    await using _next = await startTuner()
    const ended = () =>
      lab.count(`SELECT count(*) FROM calibration_requests WHERE id = $id AND status IN ('failed', 'done')`, {
        id,
      })
    await until('the end of the calibration', async () => ended() === 1)
    await assertDone(await order(nextKey()), round)
  }))
