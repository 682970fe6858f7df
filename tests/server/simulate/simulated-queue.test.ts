import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toTimestamp } from '../../../src/base/index.ts'
import type { Tx } from '../../../src/db/index.ts'
import type { RecordedSlot } from '../../../src/db/recording/index.ts'
import { chargeOf, postLedger } from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import {
  type AttemptResult,
  cancelJob,
  type DispatchTarget,
  holdJob,
  type JobError,
  type JobNeeds,
  JobOrder,
  moveJobToFront,
  releaseJob,
} from '../../../src/db/store/jobs/index.ts'
import { type Qpu, qpus } from '../../../src/db/store/qpus/index.ts'
import { pickJob } from '../../../src/server/jobs/dispatch/pick.ts'
import { POLICIES } from '../../../src/server/simulate/policies.ts'
import { type SimulatedQpu, SimulatedQueue } from '../../../src/server/simulate/simulated-queue.ts'
import { SimulatedUser, type WaitingJob } from '../../../src/server/simulate/simulated-user.ts'
import { claimNow, endNow, JobLab, RESULTS } from '../../support/server/job-lab.ts'
import { readQueue } from '../../support/server/queue-state.ts'
import { part } from '../../support/whole.ts'

const IDLE_MS = 5_000
const QUBITS = [5, 1]
const DESCRIBED = {
  ...{ described_at: '2026-11-22 12:00:00.000Z', max_qubits: 5 },
  ...{ max_shots: 100, max_executions: 3, missing_features: 2 },
}

function policy(policyName: string) {
  const found = POLICIES.find(({ name }) => name === policyName)
  if (!found) throw new Error(`there is no policy ${policyName}`)
  return found
}

const BOOKED = policy('booked')
const FAIR = policy('fair')
/** Short, so that use leaves it during a run. */
const WINDOW_MS = 120_000

const place = (count: number) => fc.nat({ max: count - 1 })
const USERS = 3

/** Events of a laboratory; numbers are positions in the lists of users, QPUs and waiting jobs. */
const arbitraryStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('submit' as const),
      user: place(USERS),
      qpu: place(3),
      // Around the 5 qubits of the first QPU; the second is not described.
      needs: fc.record({
        qubits: fc.constantFrom(0, 1, 4, 5, 6),
        shots: fc.constantFrom(0, 100, 101),
        executions: fc.constantFrom(0, 3, 4),
        features: fc.constantFrom(0, 1, 2, 3),
      }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('run' as const), qpu: place(2) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      qpu: place(2),
      how: fc.constantFrom('completed' as const, 'user' as const, 'device' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.constantFrom(1, 900, 2_500, 5_000, 20_000),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('book' as const),
      user: place(USERS),
      qpu: place(3),
      from: fc.integer({ min: -10, max: 10 }),
      for: fc.integer({ min: 5, max: 60 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('cancel' as const, 'hold' as const, 'release' as const, 'front' as const),
      job: fc.nat(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      user: place(USERS),
      ms: fc.constantFrom(-200_000, 150_000),
    }),
  },
)
type Step = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never

/** The same events in the real database and in the queue of a simulation. */
class Twin {
  readonly lab: JobLab
  readonly qpus: (Qpu & { server: DispatchTarget })[] = []
  readonly owners: SimulatedUser[] = []
  readonly simulatedQpus: SimulatedQpu[] = []
  readonly queue: SimulatedQueue
  readonly #users: Awaited<ReturnType<JobLab['user']>>[] = []
  readonly #jobs: WaitingJob[] = []
  readonly #known = new Map<string, SimulatedUser>()
  readonly #slots: RecordedSlot[] = []
  #count = 0

  private constructor(lab: JobLab) {
    this.lab = lab
    this.queue = new SimulatedQueue(this.#known)
  }

  static async open(): Promise<Twin> {
    const lab = await JobLab.open()
    const twin = new Twin(lab)
    for (const numQubits of QUBITS) {
      const made = await lab.qpu({ numQubits })
      // The first one is described.
      const limits = numQubits === 1 ? {} : DESCRIBED
      await lab.db.write('describe', (tx) => tx.update(qpus, made.id, limits))
      const qpu = { ...made, ...limits }
      twin.qpus.push({ ...qpu, server: await lab.attach(qpu.driver) })
      twin.simulatedQpus.push({ qpu: { ...qpu, status: 'online' }, isCalibrating: false, running: undefined })
    }
    for (let count = 0; count < USERS; count += 1) {
      const user = await lab.user(100)
      const owner = new SimulatedUser(user.id, false, WINDOW_MS)
      twin.#users.push(user)
      twin.owners.push(owner)
      twin.#known.set(user.id, owner)
    }
    return twin
  }

  async play(step: Step): Promise<void> {
    const now = this.lab.clock.now()
    switch (step.do) {
      case 'submit':
        await this.#submit(step, now)
        break
      case 'run':
        await this.#run(step, now)
        break
      case 'end':
        await this.#end(step, now)
        break
      case 'advance':
        await this.lab.clock.advance(step.ms)
        break
      case 'book':
        await this.#book(step, now)
        break
      case 'cancel':
      case 'hold':
      case 'release':
      case 'front':
        await this.#operate(step)
        break
      case 'pay': {
        const { user, ms } = step
        this.#count += 1
        const sourceId = `act ${this.#count}`
        const id = this.owners[user]?.id ?? ''
        await this.lab.db.write('pay', (tx) =>
          postLedger(tx, { user: id, kind: 'admin', sourceId, deltaMs: ms }),
        )
        break
      }
    }
    await this.#follow()
  }

  async #submit(
    { user, qpu, needs }: { user: number; qpu: number; needs: JobNeeds },
    now: number,
  ): Promise<void> {
    const [who, owner] = [this.#users[user], this.owners[user]]
    if (!who || !owner || (await this.lab.balance(who)) <= 0) return
    const target = this.qpus[qpu]?.id ?? ''
    const { id } = await this.lab.submit(who, target, needs)
    const job = { seq: this.#jobs.length, id, owner, target, needs, notBefore: 0, isHeld: false, runNext: 0 }
    this.#jobs.push(job)
    this.queue.submit(job, now)
  }

  async #run({ qpu }: { qpu: number }, now: number): Promise<void> {
    const [real, simulatedQpu] = [this.qpus[qpu], this.simulatedQpus[qpu]]
    if (!real || !simulatedQpu || simulatedQpu.running) return
    const { job } = pickJob(this.queue.stateOf(simulatedQpu, BOOKED, now, IDLE_MS), now, 0)
    if (job === undefined) return
    expect(await this.lab.db.write('claim', (tx) => claimNow(tx, job, real.server))).toBeDefined()
    this.queue.remove(job)
    simulatedQpu.running = { job, since: now }
    this.#jobs.find(({ id }) => id === job)?.owner.recordStart(real.id, now)
  }

  async #end(
    { qpu, how }: { qpu: number; how: 'completed' | 'user' | 'device' },
    now: number,
  ): Promise<void> {
    const [real, simulatedQpu] = [this.qpus[qpu], this.simulatedQpus[qpu]]
    const job = this.#jobs.find(({ id }) => id === simulatedQpu?.running?.job)
    if (!real || !simulatedQpu || !job) return
    const { attempt } = await this.lab.job(job.id)
    const results: JobError = { error: 'it broke' }
    const outcome: AttemptResult['outcome'] =
      how === 'completed' ? { kind: 'completed', results: RESULTS } : { kind: 'failed', class: how, results }
    const end = {
      job: job.id,
      attempt,
      driver: real.server.driver,
      executionMs: 30_000,
      elapsedMs: 30_000,
      outcome,
    }
    await this.lab.db.write('end', (tx) => endNow(tx, end, { maxAttempts: 0 }))
    simulatedQpu.running = undefined
    job.owner.recordRun(real.id, now, (await this.lab.db.read((tx) => tx.read(chargeOf(job.id)))) ?? 0)
    const after = await this.lab.job(job.id)
    if (after.status !== 'pending') return
    job.notBefore = after.not_before
    this.queue.requeue(job)
  }

  async #book(step: { user: number; qpu: number; from: number; for: number }, now: number): Promise<void> {
    const [user, qpu] = [this.owners[step.user]?.id ?? '', this.qpus[step.qpu]?.id ?? '']
    const [start, end] = [now + step.from * 1_000, now + (step.from + step.for) * 1_000]
    const slot = { booked_by: user, qpu, start_time: toTimestamp(start), end_time: toTimestamp(end) }
    const booked = await this.lab.db.write('book', (tx) => tx.insert(timeSlots, slot)).catch(() => undefined)
    if (booked) this.#slots.push({ user, qpu, start, end, bookedAt: now })
  }

  async #operate(step: { do: 'cancel' | 'hold' | 'release' | 'front'; job: number }): Promise<void> {
    const waiting = this.#jobs.filter(({ id }) => this.queue.job(id))
    const id = waiting[step.job % Math.max(1, waiting.length)]?.id
    if (id === undefined) return
    const act = { job: id, actor: 'test', reason: '' }
    const change = {
      cancel: (tx: Tx) => void cancelJob(tx, id),
      hold: (tx: Tx) => void holdJob(tx, act),
      release: (tx: Tx) => void releaseJob(tx, act),
      front: (tx: Tx) => void moveJobToFront(tx, act),
    }[step.do]
    // What the database refuses, the queue ignores.
    await this.lab.db.write(step.do, change).catch(() => undefined)
    if (step.do === 'cancel') this.queue.remove(id)
    else if (step.do === 'hold') this.queue.hold(id)
    else if (step.do === 'release') this.queue.release(id)
    else this.queue.moveToFront(id)
  }

  /** Updates the slots and balances, as the event queue of a simulation does. */
  async #follow(): Promise<void> {
    const now = this.lab.clock.now()
    this.queue.slots.clear()
    for (const slot of this.#slots) if (slot.start <= now && now < slot.end) this.queue.slots.add(slot)
    for (const [index, user] of this.#users.entries()) {
      const owner = this.owners[index]
      if (owner) owner.balanceMs = await this.lab.balance(user)
    }
  }
}

test('SimulatedQueue.stateOf() equals queueStateOf() of the database for a random laboratory', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(arbitraryStep, { minLength: 20, maxLength: 120 }), async (steps) => {
      const twin = await Twin.open()
      await using lab = twin.lab
      const fair = await JobOrder.open(lab.db, { fairWindowMs: WINDOW_MS })
      for (const step of steps) {
        await twin.play(step)
        const now = lab.clock.now()
        for (const simulatedQpu of twin.simulatedQpus) {
          const real = await lab.db.read((tx) => readQueue(tx, simulatedQpu.qpu.id, IDLE_MS, lab.order))
          const simulated = twin.queue.stateOf(simulatedQpu, BOOKED, now, IDLE_MS)
          if (!real) throw new Error('no such QPU')
          expect({ ...simulated, qpu: '' }).toEqual({ ...real, qpu: '' })
          expect(pickJob(simulated, now, IDLE_MS)).toEqual(pickJob(real, now, IDLE_MS))
          const expected = twin.queue.stateOf(simulatedQpu, FAIR, now, IDLE_MS).job
          // The second one has just been started.
          for (const share of [fair, await JobOrder.open(lab.db, { fairWindowMs: WINDOW_MS })]) {
            const state = await lab.db.read((tx) => readQueue(tx, simulatedQpu.qpu.id, IDLE_MS, share))
            expect(state?.job).toBe(expected)
          }
        }
      }
    }),
    { numRuns: part(100, 12) },
  )
}, 600_000)
