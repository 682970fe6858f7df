import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { User } from '../../../../../src/db/store/accounts/index.ts'
import { minuteOf } from '../../../../../src/db/store/accounts/recent-use.ts'
import { type Job, JobOrder, moveJobToFront, readQueueHead } from '../../../../../src/db/store/jobs/index.ts'
import { writeSums } from '../../../../../src/db/sums/write.ts'
import { pickJob } from '../../../../../src/server/jobs/dispatch/pick.ts'
import { claimNow, endNow, JobLab, RESULTS } from '../../../../support/server/job-lab.ts'
import { readPosition, readQueue } from '../../../../support/server/queue-state.ts'
import { part } from '../../../../support/whole.ts'

const WINDOW_MS = 3_600_000
const RUN_MS = 20_000
const openFair = (lab: JobLab) => JobOrder.open(lab.db, { fairWindowMs: WINDOW_MS })

/** A laboratory with one QPU whose jobs all take the same time. */
class FairLab implements AsyncDisposable {
  readonly lab: JobLab
  readonly qpu: string
  readonly #server: Awaited<ReturnType<JobLab['attach']>>
  fair: JobOrder
  readonly order: string[] = []

  private constructor(lab: JobLab, server: Awaited<ReturnType<JobLab['attach']>>, fair: JobOrder) {
    this.lab = lab
    this.#server = server
    this.qpu = server.qpu
    this.fair = fair
  }

  static async open(): Promise<FairLab> {
    const lab = await JobLab.open()
    return new FairLab(lab, await lab.attach((await lab.qpu()).driver), await openFair(lab))
  }

  /** Users who ran so many jobs each, and then submit in the given order. */
  async prepare(history: readonly number[], submissions: readonly number[]): Promise<Job[]> {
    const users: User[] = []
    for (const jobs of history) {
      const user = await this.lab.user(1_000_000)
      users.push(user)
      for (let job = 0; job < jobs; job += 1) {
        await this.lab.submit(user, this.qpu)
        await this.runOne()
      }
    }
    const jobs: Job[] = []
    for (const at of submissions) jobs.push(await this.lab.submit(users[at % users.length] as User, this.qpu))
    return jobs
  }

  /** Claims the next job; undefined when the queue is empty. */
  async begin(): Promise<string | undefined> {
    return this.lab.db.write('claim', (tx) => {
      const state = readQueue(tx, this.qpu, 0, this.fair)
      const { job } = state ? pickJob(state, tx.now, 0) : {}
      if (job === undefined) return undefined
      claimNow(tx, job, this.#server)
      this.order.push(job)
      return job
    })
  }

  async end(id: string): Promise<void> {
    await this.lab.clock.advance(RUN_MS)
    const { driver, attempt } = await this.lab.job(id)
    const outcome = { kind: 'completed' as const, results: RESULTS }
    const end = { job: id, attempt, driver, executionMs: RUN_MS, outcome }
    await this.lab.db.write('end', (tx) => endNow(tx, end, { maxAttempts: 0 }))
  }

  async runOne(): Promise<string | undefined> {
    const id = await this.begin()
    if (id !== undefined) await this.end(id)
    return id
  }

  async ahead(id: string): Promise<number | undefined> {
    const input = await this.lab.db.read((tx) => readPosition(tx, id, 0, this.fair))
    return input?.queues[0]?.ahead
  }

  async listed(): Promise<string[] | undefined> {
    const options = { limit: 100, idleMs: 0, order: this.fair }
    const head = await this.lab.db.read((tx) => readQueueHead(tx, this.qpu, options))
    return head?.jobs.map(({ id }) => id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.lab[Symbol.asyncDispose]()
  }
}

const arbitrary = fc.record({
  /** Jobs that each of up to four users runs before, alone. */
  history: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
  /** Who submits, in order. */
  submissions: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 12 }),
  isRunning: fc.boolean(),
  front: fc.option(fc.nat({ max: 11 })),
})

test('the position of each job is its place in the order in which the jobs really start', async () => {
  await fc.assert(
    fc.asyncProperty(arbitrary, async ({ history, submissions, isRunning, front }) => {
      await using fairLab = await FairLab.open()
      const { lab } = fairLab
      const jobs = await fairLab.prepare(history, submissions)
      const running = isRunning ? await fairLab.begin() : undefined
      const waiting = jobs.filter(({ id }) => id !== running)
      const moved = front === null ? undefined : waiting[front % Math.max(1, waiting.length)]
      if (moved) {
        await lab.db.write('front', (tx) => moveJobToFront(tx, { job: moved.id, actor: 'test', reason: '' }))
      }
      const positions = new Map<string, number | undefined>()
      for (const { id } of waiting) positions.set(id, await fairLab.ahead(id))
      const listed = await fairLab.listed()
      // A restart in between changes nothing.
      fairLab.fair = await openFair(lab)
      if (running !== undefined) await fairLab.end(running)
      const from = fairLab.order.length
      while ((await fairLab.runOne()) !== undefined);
      const places = new Map(fairLab.order.slice(from).map((id, place) => [id, place]))
      expect([...positions]).toEqual([...positions.keys()].map((id) => [id, places.get(id)]))
      expect(listed).toEqual(fairLab.order.slice(from))
    }),
    { numRuns: part(100, 12) },
  )
}, 120_000)

test('no user starves: however much others submit, a job starts after those of users with less use', async () => {
  await using fairLab = await FairLab.open()
  const { lab, qpu } = fairLab
  const [greedy, modest] = [await lab.user(1_000_000), await lab.user(1_000_000)]
  for (let job = 0; job < 20; job += 1) await lab.submit(greedy, qpu)
  await fairLab.runOne()
  const first = await lab.submit(modest, qpu)
  for (let job = 0; job < 20; job += 1) await lab.submit(greedy, qpu)
  expect(await fairLab.runOne()).toBe(first.id)
  // From here on both have used the same, and take turns.
  for (let job = 0; job < 4; job += 1) await lab.submit(modest, qpu)
  const owners: string[] = []
  for (let turn = 0; turn < 8; turn += 1) owners.push((await lab.job((await fairLab.runOne()) ?? '')).user_id)
  expect(owners.filter((id) => id === modest.id)).toHaveLength(4)
  expect(owners.slice(0, 2).sort()).toEqual([greedy.id, modest.id].sort())
})

test('use leaves the window, and that of unlimited users counts too', async () => {
  await using fairLab = await FairLab.open()
  const { lab, qpu } = fairLab
  const [ada, ben] = [await lab.user(1_000_000), await lab.user(1_000_000)]
  await lab.db.write('unlimited', (tx) =>
    tx.run('UPDATE users SET unlimited = 1 WHERE id = $id', { id: ada.id }),
  )
  await lab.submit(ada, qpu)
  await fairLab.runOne()
  const [late, early] = [await lab.submit(ada, qpu), await lab.submit(ben, qpu)]
  expect(await fairLab.runOne()).toBe(early.id)
  await lab.clock.advance(WINDOW_MS + 60_000)
  expect(await fairLab.runOne()).toBe(late.id)
  const rows = await lab.db.read((tx) => tx.all<{ minute: number }>('SELECT minute FROM recent_use'))
  expect(rows.every(({ minute }) => minute <= minuteOf(lab.clock.now()))).toBe(true)
})

test('rows older than the longest window are removed when sums are written', async () => {
  await using fairLab = await FairLab.open()
  const { lab, qpu } = fairLab
  const user = await lab.user(1_000_000)
  for (let job = 0; job < 6; job += 1) await lab.submit(user, qpu)
  const runOne = async () => {
    await fairLab.runOne()
    await lab.db.write('sums', writeSums)
  }
  for (let job = 0; job < 3; job += 1) {
    await runOne()
    await lab.clock.advance(60_000)
  }
  const count = async () =>
    (await lab.db.read((tx) => tx.one<{ rows: number }>('SELECT count(*) AS rows FROM recent_use')))?.rows
  expect(await count()).toBe(3)
  await lab.clock.advance(31 * 24 * 3_600_000)
  await runOne()
  expect(await count()).toBe(1)
})
