import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type CalibrationRequest, calibrationRequests } from '../../../src/db/store/calibrations/index.ts'
import { pruneCalibrationRequests } from '../../../src/db/store/maintenance/index.ts'
import { CalibrationLab } from '../../support/server/calibration-lab.ts'

/** The state of a tuner that may be killed at any time. */
interface Tuner {
  attached: boolean
  /** The current run. */
  running: { run: string; request: string } | undefined
  /** The run that it started on its own. */
  own: string | undefined
  /** Reports that are not acknowledged; they survive the tuner. */
  outbox: { run: string; request: string }[]
}

type State = { lab: CalibrationLab; tuner: Tuner; seen: number }
type Step = (state: State) => Promise<void>

/** Passes the commands sent since the last call to the tuner. */
async function deliver(state: State): Promise<void> {
  const { lab, tuner } = state
  for (const { command } of lab.lab.hub.sent.slice(state.seen)) {
    if (command.type === 'RunCalibration') {
      if (tuner.running) await lab.sendEvent('CalibrationRefused', { run_id: command.run_id, reason: 'busy' })
      else tuner.running = { run: command.run_id, request: command.request_id }
    }
    if (command.type === 'StopCalibration' && tuner.running?.run === command.run_id) finish(tuner)
  }
  state.seen = lab.lab.hub.sent.length
}

function finish(tuner: Tuner): void {
  if (tuner.running) tuner.outbox.push(tuner.running)
  tuner.running = undefined
}

const STEPS: Record<string, Step> = {
  async request({ lab }) {
    await lab.request()
  },
  async dispatch(state) {
    await state.lab.dispatcher.dispatchOnce()
    await deliver(state)
  },
  /** Claimed and sent, and lost in transit. */
  async dispatchInVain(state) {
    await state.lab.dispatcher.dispatchOnce()
    state.seen = state.lab.lab.hub.sent.length
  },
  async sendError(state) {
    state.lab.lab.hub.isFull = true
    await state.lab.dispatcher.dispatchOnce()
    state.lab.lab.hub.isFull = false
  },
  async started({ lab, tuner }) {
    if (tuner.attached && tuner.running)
      await lab.sendEvent('CalibrationStarted', { run_id: tuner.running.run })
  },
  async progress(state) {
    const { lab, tuner } = state
    if (!tuner.attached || !tuner.running) return
    const { run, request } = tuner.running
    const step = { phase: 'routine', step: 1, total: 2 }
    await lab.sendEvent('CalibrationProgress', { run_id: run, request_id: request, ...step })
    await deliver(state)
  },
  async finish({ tuner }) {
    finish(tuner)
  },
  async report({ lab, tuner }) {
    if (!tuner.attached) return
    for (const { run, request } of tuner.outbox) await lab.report(run, request)
    tuner.outbox = []
  },
  /** Acknowledgements are lost: everything is sent again later. */
  async reportUnheard({ lab, tuner }) {
    if (tuner.attached) for (const { run, request } of tuner.outbox) await lab.report(run, request)
  },
  async ownCheck({ lab, tuner }) {
    if (!tuner.attached || tuner.running) return
    if (tuner.own === undefined) tuner.own = await lab.startOwn()
    else {
      await lab.report(tuner.own, null)
      tuner.own = undefined
    }
  },
  async detach({ lab, tuner }) {
    const epoch = lab.lab.hub.epochs.get(lab.tuner.id)
    if (!tuner.attached || epoch === undefined) return
    await lab.lab.detach({ driver: lab.tuner.id, qpu: lab.qpu.id, epoch })
    tuner.attached = false
  },
  async attach(state) {
    const { lab, tuner } = state
    await lab.attach()
    tuner.attached = true
    const run_id = tuner.running && { run_id: tuner.running.run }
    const own_run = tuner.own === undefined ? {} : { own_run: tuner.own }
    await lab.hello({ ...run_id, ...own_run, outbox: tuner.outbox.map(({ run }) => run) })
    await deliver(state)
  },
  async kill(state) {
    await STEPS['detach']?.(state)
    state.tuner.running = undefined
    state.tuner.own = undefined
  },
  async wait({ lab }) {
    await lab.recovery.recoverOnce()
    await lab.clock.advance(6 * 60_000)
    await lab.recovery.recoverOnce()
  },
  async giveUp({ lab }) {
    await lab.lab.db.write('give up', (tx) => {
      const open = tx.findBy(calibrationRequests, { status: 'running' })
      if (open) tx.update(calibrationRequests, open.id, { status: 'failed', finished_at: tx.at })
    })
  },
  async prune({ lab }) {
    const open = (rows: CalibrationRequest[]) =>
      rows.filter(({ status }) => status === 'pending' || status === 'running').map(({ id }) => id)
    await lab.lab.db.write('prune', (tx) => {
      const before = open(tx.list(calibrationRequests))
      pruneCalibrationRequests(tx, tx.now + 1, 1_000)
      expect(open(tx.list(calibrationRequests))).toEqual(before)
    })
  },
}

async function check({ lab, tuner }: State): Promise<void> {
  if (tuner.attached && tuner.own !== undefined) expect(await lab.isCalibrating()).toBe(true)
  const requests = await lab.lab.db.read((tx) => tx.list(calibrationRequests))
  const reports = new Map((await lab.reports()).map((report) => [report.id, report]))
  expect(requests.filter(({ status }) => status === 'running').length).toBeLessThanOrEqual(1)
  for (const request of requests) {
    const report = reports.get(request.result)
    if (request.status === 'done') expect(report?.run_id).toBe(request.run_id)
    if (request.status === 'pending' || request.status === 'running') expect(report).toBeUndefined()
  }
}

/** With a tuner that stays and no more faults, everything ends. */
async function drain(state: State): Promise<void> {
  const { db } = state.lab.lab
  const open = () =>
    db.read((tx) =>
      tx.all("SELECT id, status FROM calibration_requests WHERE status IN ('pending', 'running')"),
    )
  await STEPS['attach']?.(state)
  const { lab, tuner } = state
  if (tuner.own !== undefined) await lab.report(tuner.own, null)
  tuner.own = undefined
  for (let round = 0; round < 100 && (await open()).length > 0; round += 1) {
    await state.lab.clock.advance(10_000)
    for (const step of ['dispatch', 'started', 'finish', 'report']) await STEPS[step]?.(state)
  }
  expect(await open()).toEqual([])
  expect(await lab.isCalibrating()).toBe(false)
}

test('under any faults one calibration runs at a time, done requests have reports, and all end', async () => {
  const names = Object.keys(STEPS)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...names), { minLength: 5, maxLength: 30 }), async (steps) => {
      await using lab = await CalibrationLab.open()
      const state: State = {
        lab,
        tuner: { attached: false, running: undefined, own: undefined, outbox: [] },
        seen: 0,
      }
      for (const name of ['request', 'attach', ...steps]) {
        await STEPS[name]?.(state)
        await lab.clock.advance(100)
        await check(state)
      }
      await drain(state)
      await check(state)
    }),
    { numRuns: 25 },
  )
})
