import { expect, test } from 'bun:test'
import { toTimestamp } from '../../../src/base/index.ts'
import type { User } from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import {
  type DispatchTarget,
  OrderReading,
  type Quote,
  queueReads,
  readQuoteScore,
} from '../../../src/db/store/jobs/index.ts'
import { type Qpu, setDraining } from '../../../src/db/store/qpus/index.ts'
import { pickJob } from '../../../src/server/jobs/dispatch/pick.ts'
import { quoteJob } from '../../../src/server/jobs/quote.ts'
import { seeded } from '../../support/fitting/seeded.ts'
import { claimNow, endNow, insertNow, JobLab, PAYLOAD, RESULTS } from '../../support/server/job-lab.ts'
import { readQueue } from '../../support/server/queue-state.ts'
import { part, RUNS_WHOLE } from '../../support/whole.ts'

const MINUTE_MS = 60_000

/** A job of a recorded queue. */
interface Recorded {
  at: number
  user: number
  program: string
  shots: number
  ms: number
}

/** A QPU, and the jobs of a lab that come in bursts: users repeat their programs with other shots. */
function recordQueue(count: number, seed: number): Recorded[] {
  const random = seeded(seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const programs = Array.from({ length: 8 }, (_, at) => ({
    program: `program${at}`,
    perShotMs: 10 ** random(),
  }))
  let at = 0
  const jobs: Recorded[] = []
  while (jobs.length < count) {
    at += -Math.log(1 - random()) * 40_000
    const user = Math.floor(4 * random())
    const { program, perShotMs } = programs[Math.floor(8 * random())] ?? { program: '', perShotMs: 1 }
    for (let burst = Math.ceil(6 * random()); burst > 0; burst -= 1) {
      const shots = 500 * (1 + Math.floor(4 * random()))
      jobs.push({
        at: Math.round(at),
        user,
        program,
        shots,
        ms: Math.round(800 + shots * perShotMs * Math.exp(0.15 * normal())),
      })
      at += 200
    }
  }
  return jobs.slice(0, count)
}

/** Replays a queue on the real store, with bookings and drains; what was quoted and what happened. */
class QueueReplay implements AsyncDisposable {
  readonly lab: JobLab
  readonly qpu: Qpu
  readonly #target: DispatchTarget
  readonly #users: User[]
  readonly #begun: number
  readonly #ms = new Map<string, number>()
  #endsAt: { job: string; at: number } | undefined
  readonly outcomes: { quote: Quote; created: number; claimed: number; ms: number }[] = []
  readonly #quotes = new Map<string, { quote: Quote; created: number }>()

  private constructor(lab: JobLab, qpu: Qpu, target: DispatchTarget, accounts: User[]) {
    this.lab = lab
    this.qpu = qpu
    this.#target = target
    this.#users = accounts
    this.#begun = lab.clock.now()
  }

  static async open(): Promise<QueueReplay> {
    const lab = await JobLab.open()
    const qpu = await lab.qpu()
    const accounts = [await lab.user(1e9), await lab.user(1e9), await lab.user(1e9), await lab.user(1e9)]
    return new QueueReplay(lab, qpu, await lab.attach(qpu.driver), accounts)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.lab[Symbol.asyncDispose]()
  }

  async run(jobs: readonly Recorded[]): Promise<void> {
    const last = jobs.at(-1)?.at ?? 0
    // A booking of one user each 40 min, a drain each 90.
    const steps: { at: number; act: () => Promise<unknown> }[] = jobs.map((job) => ({
      at: job.at,
      act: () => this.#submit(job),
    }))
    for (let at = 20 * MINUTE_MS; at < last; at += 40 * MINUTE_MS)
      steps.push({ at, act: () => this.#book(at) })
    for (let at = 45 * MINUTE_MS; at < last; at += 90 * MINUTE_MS) {
      steps.push(
        { at, act: () => this.#drain(true) },
        { at: at + 3 * MINUTE_MS, act: () => this.#drain(false) },
      )
    }
    steps.sort((one, other) => one.at - other.at)
    for (const { at, act } of steps) {
      await this.#runUntil(this.#begun + at)
      await act()
      await this.#dispatch()
    }
    await this.#runUntil(this.#begun + last + 100 * 60 * MINUTE_MS)
  }

  /** Ends and begins jobs until a time. */
  async #runUntil(end: number): Promise<void> {
    for (;;) {
      const now = this.lab.clock.now()
      const next = this.#endsAt?.at ?? (this.#quotes.size > 0 ? now + 5_000 : end)
      if (next > end || (this.#endsAt === undefined && this.#quotes.size === 0)) break
      this.lab.clock.jump(Math.max(0, next - now))
      await this.#finish()
      await this.#dispatch()
    }
    this.lab.clock.jump(Math.max(0, end - this.lab.clock.now()))
  }

  async #finish(): Promise<void> {
    if (!this.#endsAt) return
    const { job } = this.#endsAt
    this.#endsAt = undefined
    const executionMs = this.#ms.get(job) ?? 0
    const outcome = { kind: 'completed', results: RESULTS } as const
    const end = { job, attempt: 1, driver: this.#target.driver, executionMs, elapsedMs: executionMs, outcome }
    await this.lab.db.write('end', (tx) => endNow(tx, end, { maxAttempts: 0 }))
  }

  async #submit({ user, program, shots, ms }: Recorded): Promise<void> {
    const account = this.#users[user] as User
    const needs = { qubits: 2, shots, executions: 1, features: 0 }
    const added = await this.lab.db.write('submit', (tx) => {
      const job = { user: account.id, qpu: this.qpu.id, needs, program, maxMs: 0 }
      const quote = quoteJob(this.lab, new OrderReading(this.lab.order, tx, tx.read(queueReads())), job)
      const stored = {
        user: account.id,
        qpu: this.qpu.id,
        payload: PAYLOAD,
        needs,
        programHash: program,
        quote,
      }
      return { id: insertNow(tx, stored, { maxPending: 1e6 }).id, quote }
    })
    this.#ms.set(added.id, ms)
    this.#quotes.set(added.id, { quote: added.quote, created: this.lab.clock.now() })
  }

  async #dispatch(): Promise<void> {
    if (this.#endsAt) return
    const { lab } = this
    const claimed = await lab.db.write('claim', (tx) => {
      const state = readQueue(tx, this.qpu.id, 5_000, lab.order)
      const { job } = state ? pickJob(state, tx.now, 5_000) : {}
      return job === undefined ? undefined : claimNow(tx, job, this.#target)?.job
    })
    const known = claimed === undefined ? undefined : this.#quotes.get(claimed)
    if (claimed === undefined || !known) return
    const ms = this.#ms.get(claimed) ?? 0
    this.#quotes.delete(claimed)
    this.#endsAt = { job: claimed, at: lab.clock.now() + ms + 30 }
    this.outcomes.push({ ...known, claimed: lab.clock.now(), ms })
  }

  #book(at: number): Promise<unknown> {
    const start = this.lab.clock.now() + MINUTE_MS
    const booked_by = this.#users[Math.floor(at / MINUTE_MS) % this.#users.length]?.id ?? ''
    return this.lab.db.write('book', (tx) =>
      tx.insert(timeSlots, {
        ...{
          booked_by,
          qpu: this.qpu.id,
          start_time: toTimestamp(start),
          end_time: toTimestamp(start + 8 * MINUTE_MS),
        },
      }),
    )
  }

  #drain(draining: boolean): Promise<unknown> {
    return setDraining(this.lab.db, 'superuser:test', this.qpu.id, { draining, reason: 'helium' })
  }
}

/** Share of values in their ranges. */
const shareOf = (hits: readonly boolean[]) => hits.filter(Boolean).length / hits.length
const quantile = (values: readonly number[], share: number) =>
  values.toSorted((one, other) => one - other)[Math.floor(share * values.length)] ?? Number.NaN

test('estimates of recorded queues, with bookings and drains, are right about four times in five', async () => {
  const [right, started, widths, spreads]: [boolean[], boolean[], number[], number[]] = [[], [], [], []]
  const [published, expected] = [
    { jobs: 0, right: 0 },
    { jobs: 0, right: 0 },
  ]
  for (let seed = 1; seed <= part(5, 1); seed += 1) {
    await using it = await QueueReplay.open()
    await it.run(recordQueue(part(1_500, 110), seed))
    // The first jobs are what the others are judged by.
    const judged = it.outcomes.slice(40)
    for (const { quote, ms, claimed } of judged) {
      right.push(ms >= quote.run.from && ms <= quote.run.to)
      if (quote.start) started.push(claimed >= quote.start.from && claimed <= quote.start.to)
      widths.push(Math.log(quote.run.to / quote.run.from))
    }
    // The spread of the data: 80 % of the repetitions of a program with as many shots.
    spreads.push(2 * 1.28 * 0.15)
    const last = it.outcomes.at(-1)
    const months = new Set([it.outcomes[0], last].map((each) => toTimestamp(each?.claimed ?? 0).slice(0, 7)))
    for (const month of months) {
      const { run_quoted, run_right } = await it.lab.db.read((tx) => readQuoteScore(tx, it.qpu.id, month))
      published.jobs += run_quoted
      published.right += run_right
    }
    const measured = it.outcomes.filter(({ quote }) => quote.basis !== 'assumed')
    expected.jobs += measured.length
    expected.right += measured.filter(({ quote, ms }) => ms >= quote.run.from && ms <= quote.run.to).length
  }
  if (RUNS_WHOLE) console.log({ run: shareOf(right), start: shareOf(started), width: quantile(widths, 0.5) })
  const margin = part(0, 0.12)
  expect(shareOf(right)).toBeGreaterThan(0.77 - margin)
  expect(shareOf(right)).toBeLessThan(0.9 + margin)
  expect(shareOf(started)).toBeGreaterThan(0.77 - margin)
  expect(shareOf(started)).toBeLessThan(0.9 + margin)
  expect(quantile(widths, 0.5)).toBeLessThan(2 * (spreads[0] ?? 0))
  // What is published of all measured ranges, also of the first ones.
  expect(published).toEqual(expected)
}, 600_000)
