import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { toTimestamp } from '../../../src/base/index.ts'
import type { User } from '../../../src/db/store/accounts/index.ts'
import {
  claimCalibration,
  insertCalibration,
  recordProgress,
} from '../../../src/db/store/calibrations/index.ts'
import { cancelJob, type DispatchTarget, requeueJob } from '../../../src/db/store/jobs/index.ts'
import { createDriver } from '../../../src/db/store/qpus/index.ts'
import { events, rollUpReadings } from '../../../src/db/store/readings/index.ts'
import { writeSums } from '../../../src/db/sums/write.ts'
import { DispatchBackoff } from '../../../src/server/drivers/dispatch-backoff.ts'
import { finishJob } from '../../../src/server/jobs/attempts/finish.ts'
import { Heartbeats } from '../../../src/server/jobs/attempts/heartbeats.ts'
import { JobDispatcher } from '../../../src/server/jobs/dispatch/dispatcher.ts'
import { accepted, examineBody } from '../../../src/server/jobs/submission/examine.ts'
import { submitJob } from '../../../src/server/jobs/submission/submit.ts'
import type { ExaminedSubmission } from '../../../src/server/programs/messages.ts'
import { COSTS, type Cost } from '../../golden/costs.ts'
import {
  type Counted,
  countCost,
  emptyLog,
  repeatIds,
  StatementCounter,
  treesOf,
} from '../../support/costs/count.ts'
import { RoundTripCounter } from '../../support/costs/round-trips.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { JobLab, PAYLOAD, RESULTS } from '../../support/server/job-lab.ts'

const isOnServer = onlySqlite('its file')
/** Commits of one intent alone. */
const ALONE = 9
const GROUP = 16
/** How long a job runs: one that takes no time is charged nothing. */
const RUN_MS = 10

/** As drivers report it: the same for all jobs until a version, an option or the device file changes. */
const PROVENANCE = { device: { name: 'mock', version: '27.1.0' }, driver: { version: '27.1.0' } }

/** One execution of an intent by place; the place of a QPU is the remainder of a division by their number. */
type Intent = (place: number) => Promise<unknown>

let counters: { statements: StatementCounter; roundTrips: RoundTripCounter }
let parts: ReturnType<JobLab['dependencies']> & { heartbeats: Heartbeats; dispatcher: JobDispatcher }
/** By the id of their QPU. */
const submissions = new Map<string, ExaminedSubmission>()
let ids: ReturnType<typeof repeatIds>
let lab: JobLab
let user: User
const targets: DispatchTarget[] = []

beforeAll(async () => {
  counters = { statements: new StatementCounter(), roundTrips: new RoundTripCounter() }
  ids = repeatIds()
  lab = await JobLab.open({ 'max-pending-jobs': '1000000' })
  const heartbeats = new Heartbeats(lab.clock, 60_000)
  const dependencies = { ...lab.dependencies(), heartbeats, backoff: new DispatchBackoff(lab.clock) }
  parts = { ...dependencies, dispatcher: new JobDispatcher(dependencies) }
  user = await lab.user(1_000_000)
  for (let at = 0; at < GROUP; at += 1) {
    const { id, driver } = await lab.qpu({ numQubits: 5 })
    targets.push(await lab.attach(driver))
    submissions.set(id, await examine({ ...PAYLOAD, qpu_target: id }))
  }
  for (let round = 0; round < 6; round += 1) {
    await each(GROUP, submit)
    await each(GROUP, claim)
    await each(GROUP, result)
  }
  await each(5 * GROUP, submit)
})
afterAll(async () => {
  for (const counter of Object.values(counters)) counter[Symbol.dispose]()
  ids.mockRestore()
  await lab[Symbol.asyncDispose]()
})

async function examine(body: object): Promise<ExaminedSubmission> {
  const examiner = { thread: lab.submissionThread, account: 'test', isKeyed: false, dts: async () => [] }
  return accepted(await examineBody(body, examiner))
}

const targetOf = (place: number) => targets[place % GROUP] as DispatchTarget
/** The running attempt of each QPU. */
const running = new Map<string, { job: string; attempt: number; epoch: number }>()

/** As `POST /api/jobs` does after the examination. */
const submit = (place: number) => {
  const examined = submissions.get(targetOf(place).qpu)
  if (!examined) throw new Error('nothing was examined')
  return submitJob(lab, lab.caller(user), examined)
}

/** As the dispatcher does when a QPU is concerned. */
const claim: Intent = async (place) => {
  const { qpu, driver } = targetOf(place)
  await parts.dispatcher.dispatchOnce(new Set([qpu]))
  const last = lab.hub.sent.findLast((each) => each.driver === driver)?.command
  if (last?.type !== 'RunJob') throw new Error('nothing was claimed')
  running.set(qpu, last)
}

/** As the driver reports it. */
const result: Intent = (place) => {
  const { qpu, driver } = targetOf(place)
  const { job = '', attempt = 0, epoch = 0 } = running.get(qpu) ?? {}
  const ended = { job, attempt, epoch, execution_ms: RUN_MS, status: 'completed' as const, results: RESULTS }
  return finishJob(parts, { driver, name: driver }, { ...ended, provenance: PROVENANCE })
}

const sums: Intent = () => lab.db.write('sums', writeSums)
const drain: Intent = (place) => Promise.all([result(place), claim(place)])
const requeue: Intent = (place) =>
  lab.db.write('requeue', (tx) =>
    requeueJob(tx, { job: running.get(targetOf(place).qpu)?.job ?? '', actor: 'test', reason: '' }),
  )

/** Runs an intent `count` times, each in a commit of its own. */
async function each(count: number, intent: Intent): Promise<void> {
  for (let place = 0; place < count; place += 1) {
    lab.clock.jump(3)
    await intent(place)
  }
}

const middle = (numbers: number[]) =>
  numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? Number.NaN

/** Counts an intent alone and in groups; `prepare` and `restore` run before and after each execution. */
async function costOf(
  intent: Intent,
  { prepare, restore }: { prepare?: Intent; restore?: Intent } = {},
): Promise<Cost> {
  if (!isOnServer) emptyLog(lab.dir)
  const alone: Counted[] = []
  for (let place = 0; place < ALONE; place += 1) {
    lab.clock.jump(3)
    await prepare?.(place)
    await lab.clock.advance(RUN_MS)
    alone.push(await countCost(lab.dir, counters, () => intent(place)))
    await restore?.(place)
  }
  lab.clock.jump(3)
  const places = Array.from({ length: GROUP }, (_, place) => place)
  for (const place of places) await prepare?.(place)
  await lab.clock.advance(RUN_MS)
  const grouped = await countCost(lab.dir, counters, () => Promise.all(places.map(intent)))
  for (const place of places) await restore?.(place)
  const trees = isOnServer ? new Map<number, string>() : treesOf(lab.dir)
  return {
    frames: middle(alone.map(({ pages }) => pages.length)),
    framesOf16: grouped.pages.length,
    statements: middle(alone.map(({ statements }) => statements)),
    trees: middle(alone.map(({ pages }) => new Set(pages.map((page) => trees.get(page))).size)),
    roundTrips: middle(alone.map((each) => each.roundTrips)),
  }
}

const waiting: string[] = []
const queueOne: Intent = async (place) => {
  waiting.push((await submit(place)).id)
}
const cancel: Intent = async () => {
  await lab.db.write('cancel', (tx) => cancelJob(tx, waiting.shift() ?? ''))
}

/** Events of a monitor with four readings each. */
async function monitor(): Promise<Intent> {
  const name = 'cryostat'
  const driver = await createDriver(lab.db, 'test', {
    ...{ name, qpu: targetOf(0).qpu, operation: 'monitor', device: 'mock', enabled: true, tokenHash: name },
  })
  const channels = ['mixing', 'still', 'plate', 'flange']
  const readings = Object.fromEntries(channels.map((each) => [each, { value: 0.02, unit: 'K' }]))
  return () =>
    lab.db.write('log event', (tx) => {
      const ts = toTimestamp(lab.clock.now()).replace(' ', 'T')
      tx.insert(events, {
        source: name,
        driver: driver.id,
        type: 'CryostatReading',
        ts,
        payload: { readings },
      })
      rollUpReadings(tx, 100)
    })
}

/** Steps of the running calibrations of as many tuners as there are QPUs. */
async function tuners(): Promise<Intent> {
  const runs: { run: string; driver: string }[] = []
  for (const [at, { qpu }] of targets.entries()) {
    const name = `tuner_${at}`
    const driver = await createDriver(lab.db, 'test', {
      ...{ name, qpu, operation: 'calibrate', device: 'mock', enabled: true, tokenHash: name },
    })
    const target = await lab.attach(driver)
    // A calibration waits for the running job.
    await result(at)
    const run = await lab.db.write('calibrate', (tx) => {
      insertCalibration(tx, { driver: driver.id, mode: 'full', targetQubits: [], actor: 'test' })
      return claimCalibration(tx, target)?.run ?? ''
    })
    runs.push({ run, driver: driver.id })
  }
  return (place) => {
    const run = runs[place % runs.length] as (typeof runs)[number]
    const step = { routine: 'rabi', target: 'q0', outcome: 'passed', done: place, total: 100 }
    return lab.db.write('progress', (tx) => recordProgress(tx, run, step))
  }
}

const GOLDEN = join(import.meta.dir, '../../golden/costs.ts')

/** Writes the counted costs into the file on record; its comments stay. */
async function writeGolden(counted: Record<string, Cost>): Promise<void> {
  let text = await Bun.file(GOLDEN).text()
  for (const [name, cost] of Object.entries(counted)) {
    const figures = Object.entries(cost).map(([what, figure]) => `${what}: ${figure}`)
    text = text.replace(new RegExp(`^( {2}${name}: )\\{.*\\}`, 'm'), `$1{ ${figures.join(', ')} }`)
  }
  await Bun.write(GOLDEN, text)
}

test('each intent costs what is declared, no more and no less', async () => {
  const alone = { submit: await costOf(submit), claim: await costOf(claim, { restore: result }) }
  const ends = {
    result: await costOf(result, { prepare: claim }),
    requeue: await costOf(requeue, { prepare: claim }),
  }
  const cancelled = await costOf(cancel, { prepare: queueOne })
  await each(GROUP, claim)
  const drained = await costOf(drain)
  await each(2 * GROUP, submit)
  const ended: Intent = async (place) => {
    await result(place)
    await claim(place)
  }
  const counted = {
    ...alone,
    ...ends,
    drain: drained,
    sums: await costOf(sums, { prepare: ended }),
    cancel: cancelled,
    readings: await costOf(await monitor()),
    progress: await costOf(await tuners()),
  }
  if (process.env['UPDATE_GOLDEN'] === '1' && !isOnServer) await writeGolden(counted)
  // What a file costs only a file has; the round trips to a server are those that are declared.
  else if (isOnServer) expect(roundTripsOf(counted)).toEqual(roundTripsOf(COSTS))
  else expect(counted).toEqual(COSTS)
}, 60_000)

function roundTripsOf(costs: Readonly<Record<string, Cost>>): Record<string, number> {
  return Object.fromEntries(Object.entries(costs).map(([name, { roundTrips }]) => [name, roundTrips]))
}
