import { afterAll, beforeAll, expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import type { Tx } from '../../../src/db/index.ts'
import type { User } from '../../../src/db/store/accounts/index.ts'
import {
  claimCalibration,
  insertCalibration,
  recordProgress,
} from '../../../src/db/store/calibrations/index.ts'
import {
  applyResult,
  cancelJob,
  claimJob,
  type DispatchTarget,
  idleQpus,
  insertJob,
  OrderReading,
  requeueJob,
} from '../../../src/db/store/jobs/index.ts'
import { createDriver } from '../../../src/db/store/qpus/index.ts'
import { events, rollUpReadings } from '../../../src/db/store/readings/index.ts'
import { writeSums } from '../../../src/db/sums/write.ts'
import { pickJob } from '../../../src/server/jobs/dispatch/pick.ts'
import { quoteJob } from '../../../src/server/jobs/quote.ts'
import { COSTS, type Cost } from '../../golden/costs.ts'
import {
  type Counted,
  countCost,
  emptyLog,
  repeatIds,
  StatementCounter,
  treesOf,
} from '../../support/costs/count.ts'
import { onlySqlite } from '../../support/postgres/only-sqlite.ts'
import { EXPECTED, JobLab, PAYLOAD, PROGRAM_HASH, RESULTS } from '../../support/server/job-lab.ts'
import { readQueue } from '../../support/server/queue-state.ts'

const IDLE_MS = 60_000
/** Commits of one intent alone. */
const ALONE = 9
const GROUP = 16

/** As drivers report it: the same for all jobs until a version, an option or the device file changes. */
const PROVENANCE = { device: { name: 'mock', version: '27.1.0' }, driver: { version: '27.1.0' } }

/** One execution of an intent by place; the place of a QPU is the remainder of a division by their number. */
type Intent = (place: number) => Promise<unknown>

let counter: StatementCounter
let ids: ReturnType<typeof repeatIds>
let lab: JobLab
let user: User
const targets: DispatchTarget[] = []

beforeAll(async () => {
  counter = new StatementCounter()
  ids = repeatIds()
  lab = await JobLab.open()
  user = await lab.user(1_000_000)
  for (let at = 0; at < GROUP; at += 1) {
    const { driver } = await lab.qpu({ numQubits: 5 })
    targets.push(await lab.attach(driver))
  }
  for (let round = 0; round < 6; round += 1) {
    await each(GROUP, submit)
    await each(GROUP, claim)
    await each(GROUP, result)
  }
  await each(5 * GROUP, submit)
})
afterAll(async () => {
  counter[Symbol.dispose]()
  ids.mockRestore()
  await lab[Symbol.asyncDispose]()
})

const targetOf = (place: number) => targets[place % GROUP] as DispatchTarget
/** The running attempt of each QPU. */
const running = new Map<string, { job: string; attempt: number }>()

/** As a submission does, with what is expected of the job. */
const submit: Intent = (place) => lab.db.write('submit', (tx) => quoted(tx, targetOf(place).qpu).id)

function quoted(tx: Tx, qpu: string) {
  const needs = { qubits: 2, shots: 100, executions: 1, features: 0 }
  const quote = quoteJob(lab, new OrderReading(lab.order, tx), {
    user: user.id,
    qpu,
    needs,
    program: PROGRAM_HASH,
    maxMs: 0,
  })
  const job = {
    user: user.id,
    qpu,
    payload: PAYLOAD,
    needs,
    expected: EXPECTED,
    programHash: PROGRAM_HASH,
    quote,
  }
  return insertJob(tx, job, { maxPending: 1_000_000 })
}

function claimNext(tx: Tx, place: number): void {
  const target = tx.read(idleQpus()).find(({ qpu }) => qpu === targetOf(place).qpu)
  const state = target && readQueue(tx, target.qpu, IDLE_MS, lab.order)
  const { job } = state ? pickJob(state, tx.now, IDLE_MS) : {}
  const claimed = target && job !== undefined ? claimJob(tx, job, target) : undefined
  if (!claimed) throw new Error('nothing was claimed')
  running.set(claimed.qpu, claimed)
}

function endRunning(tx: Tx, place: number): void {
  const { qpu, driver } = targetOf(place)
  const { job = '', attempt = 0 } = running.get(qpu) ?? {}
  const outcome = { kind: 'completed', results: RESULTS } as const
  applyResult(
    tx,
    { job, attempt, driver, executionMs: 10, outcome, provenance: PROVENANCE },
    { maxAttempts: 3 },
  )
}

const claim: Intent = (place) => lab.db.write('claim', (tx) => claimNext(tx, place))
const result: Intent = (place) => lab.db.write('end', (tx) => endRunning(tx, place))
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
  emptyLog(lab.dir)
  const alone: Counted[] = []
  for (let place = 0; place < ALONE; place += 1) {
    lab.clock.jump(3)
    await prepare?.(place)
    alone.push(await countCost(lab.dir, counter, () => intent(place)))
    await restore?.(place)
  }
  lab.clock.jump(3)
  const places = Array.from({ length: GROUP }, (_, place) => place)
  for (const place of places) await prepare?.(place)
  const grouped = await countCost(lab.dir, counter, () => Promise.all(places.map(intent)))
  for (const place of places) await restore?.(place)
  const trees = treesOf(lab.dir)
  return {
    frames: middle(alone.map(({ pages }) => pages.length)),
    framesOf16: grouped.pages.length,
    statements: middle(alone.map(({ statements }) => statements)),
    trees: middle(alone.map(({ pages }) => new Set(pages.map((page) => trees.get(page))).size)),
  }
}

const waiting: string[] = []
const queueOne: Intent = async (place) => {
  waiting.push((await lab.db.write('submit', (tx) => quoted(tx, targetOf(place).qpu))).id)
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

test.skipIf(onlySqlite('its file'))(
  'each intent costs what is declared, no more and no less',
  async () => {
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
    expect(counted).toEqual(COSTS)
  },
  60_000,
)
