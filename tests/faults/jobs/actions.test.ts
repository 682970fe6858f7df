import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import { type Armed, FaultLab, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'

setDefaultTimeout(ROW_TIMEOUT_MS)

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
let lab: FaultLab
let admin: string
/** Makes slots that do not overlap. */
let slots = 0

beforeAll(async () => {
  lab = await FaultLab.open()
  admin = await lab.service.admin()
})
afterAll(() => lab.close())

interface Action {
  method: string
  path: string
  token: string
  body: object
}

/** The server fails at `step` of `intent`; whether the action is completed nevertheless. */
type Failure = [
  title: string,
  step: `${'before' | 'inside' | 'after'}:1:${'kill' | 'throw' | 'hang'}`,
  done: boolean,
]

const FAILURES: Failure[] = [
  ['before the transaction', 'before:1:kill', false],
  ['in the transaction', 'inside:1:kill', false],
  ['after the commit', 'after:1:kill', true],
  ['error in the transaction', 'inside:1:throw', false],
  ['error after the commit', 'after:1:throw', true],
  ['hung in the transaction', 'inside:1:hang', false],
]

/**
 * Does something while the server fails, and once more after its restart. Returns how much of it `traces`
 * counted in between and after all, and the status of the second response.
 */
async function repeatAction(armed: Armed, { method, path, token, body }: Action, traces: () => number) {
  const call = () => lab.service.call(method, path, { token, body })
  await lab.restart(armed)
  const first = call().catch(() => undefined)
  await lab.hit(armed)
  if (armed.endsWith(':throw')) expect((await first)?.status).toBe(500)
  await lab.restart()
  expect((await first)?.status ?? 500).toBe(500)
  const between = traces()
  const { status } = await call()
  return { between, status, after: traces() }
}

describe('F5', () => {
  test.each(FAILURES)('approve, %s: the seconds are granted with it, once', (title, step, done) =>
    lab.row(`F5 approve ${title}`, async ({ note }) => {
      const requests = '/api/collections/qpu_time_requests/records'
      const body = { seconds: 10, requested_reason: 'a fault' }
      const { token } = lab.user
      const made = await lab.service.call<{ id: string }>('POST', requests, { token, body })
      expect(made.status).toBe(200)
      const { id } = made.body
      const grants = () =>
        lab.count(
          `SELECT count(*) FROM qpu_ledger JOIN qpu_time_requests request ON request.id = source_id
           WHERE kind = 'grant' AND source_id = $id AND request.status = 'approved'`,
          { id },
        )
      const approve = {
        ...{ method: 'PATCH', path: `${requests}/${id}`, token: admin },
        body: { status: 'approved' },
      }
      const { between, status, after } = await repeatAction(
        `update qpu_time_requests.${step}`,
        approve,
        grants,
      )
      expect({ between, status }).toEqual(done ? { between: 1, status: 400 } : { between: 0, status: 200 })
      note('lost', after === 0 ? 1 : 0)
      note('charged twice', Math.max(0, after - 1))
    }),
  )

  test.each(FAILURES)('toggle, %s: the switch and its audit entry go together', (title, step, done) =>
    lab.row(`F5 toggle ${title}`, async ({ note }) => {
      const enabled = false
      const audited = () =>
        lab.count(`SELECT count(*) FROM audit_log WHERE act = 'qpu.toggle' AND subject = $id`, {
          id: lab.qpu.id,
        })
      const before = audited()
      const traces = () => {
        const switched =
          lab.count('SELECT enabled FROM qpus WHERE id = $id', { id: lab.qpu.id }) === Number(enabled)
        return switched ? audited() - before : 0
      }
      const toggle = {
        method: 'POST',
        path: '/api/op/qpu/toggle',
        token: admin,
        body: { id: lab.qpu.id, enabled },
      }
      const { between, status, after } = await repeatAction(`toggle qpu.${step}`, toggle, traces)
      expect({ between, status }).toEqual({ between: done ? 1 : 0, status: 200 })
      note('lost', after === 0 ? 1 : 0)
      // Ready for the next row, which switches it off again.
      await lab.service.call('POST', toggle.path, { token: admin, body: { ...toggle.body, enabled: true } })
    }),
  )

  test.each(FAILURES)('booking, %s: the slot is booked once', (title, step, done) =>
    lab.row(`F5 booking ${title}`, async ({ note }) => {
      slots += 1
      const start = Date.now() + HOUR_MS + slots * 2 * MINUTE_MS
      const start_time = toTimestamp(start)
      const booking = {
        ...{ method: 'POST', path: '/api/collections/time_slots/records', token: lab.user.token },
        body: { start_time, end_time: toTimestamp(start + MINUTE_MS), qpu: lab.qpu.id },
      }
      const booked = () =>
        lab.count('SELECT count(*) FROM time_slots WHERE start_time = $start_time', { start_time })
      const { between, status, after } = await repeatAction(`create time_slots.${step}`, booking, booked)
      expect({ between, status }).toEqual(done ? { between: 1, status: 400 } : { between: 0, status: 200 })
      note('lost', after === 0 ? 1 : 0)
      note('duplicated', Math.max(0, after - 1))
    }),
  )
})
