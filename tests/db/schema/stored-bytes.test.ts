import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { newId } from '../../../src/base/index.ts'
import { checkInvariants, type Database } from '../../../src/db/index.ts'
import { RECORD_BYTES } from '../../../src/db/schema/stored-bytes.ts'
import { storedBytesOf, users } from '../../../src/db/store/accounts/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { openTestDatabase } from '../../support/database.ts'

const MIB = 1024 * 1024
/** JSON texts without a value, inside of the row, and in the second table. */
const SIZES = { none: 0, small: 100, large: MIB + 100 }
type Size = keyof typeof SIZES

const textOf = (size: Size) => (size === 'none' ? null : 'x'.repeat(SIZES[size] - 2))

const storedBytes = (db: Database) =>
  db.read((tx) =>
    Object.fromEntries(
      tx
        .list(users)
        .map(({ id }): [string, number] => [id, tx.read(storedBytesOf(id))])
        .filter(([, bytes]) => bytes !== 0),
    ),
  )

interface Job {
  id: string
  owner: number
  sizes: Record<'payload' | 'results', Size>
}

const size = fc.constantFrom<Size>('none', 'small', 'large')
const operation = fc.oneof(
  fc.record({ do: fc.constant('insert' as const), owner: fc.nat(2), payload: size, results: size }),
  fc.record({
    do: fc.constant('change' as const),
    job: fc.nat(9),
    field: fc.constantFrom('payload' as const, 'results' as const),
    size,
  }),
  fc.record({ do: fc.constant('pass on' as const), job: fc.nat(9), owner: fc.nat(2) }),
  fc.record({ do: fc.constant('remove' as const), job: fc.nat(9) }),
  fc.record({ do: fc.constant('fail' as const), owner: fc.nat(2) }),
)

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

/** A database with two users, and what their jobs should count. Owner 2 is nobody. */
class Model {
  readonly jobs: Job[] = []
  readonly #db: Database
  readonly #owners: readonly string[]

  constructor(db: Database, owners: readonly string[]) {
    this.#db = db
    this.#owners = owners
  }

  async apply(step: Operation): Promise<void> {
    if (step.do === 'insert') return this.#insert(step)
    if (step.do === 'fail') return this.#fail(step.owner)
    const job = this.jobs[step.job]
    if (!job) return
    if (step.do === 'change') {
      job.sizes[step.field] = step.size
      await this.#update(job, { [step.field]: textOf(step.size) })
    } else if (step.do === 'pass on') {
      job.owner = step.owner
      await this.#update(job, { user_id: this.#idOf(step.owner) })
    } else {
      this.jobs.splice(step.job, 1)
      await this.#db.write('t', (tx) => tx.remove(quantumJobs, job.id))
    }
  }

  expected(): Record<string, number> {
    const bytes: Record<string, number> = {}
    for (const { owner, sizes } of this.jobs) {
      const id = this.#idOf(owner)
      if (id !== '') bytes[id] = (bytes[id] ?? 0) + RECORD_BYTES + SIZES[sizes.payload] + SIZES[sizes.results]
    }
    return bytes
  }

  #idOf(owner: number): string {
    return this.#owners[owner] ?? ''
  }

  async #insert({ owner, payload, results }: Extract<Operation, { do: 'insert' }>): Promise<void> {
    const values = { user_id: this.#idOf(owner), payload: textOf(payload), results: textOf(results) }
    const { id } = await this.#db.write('t', (tx) => tx.insert(quantumJobs, values))
    this.jobs.push({ id, owner, sizes: { payload, results } })
  }

  async #fail(owner: number): Promise<void> {
    const write = this.#db.write('t', (tx) => {
      tx.insert(quantumJobs, { user_id: this.#idOf(owner), payload: textOf('large') })
      throw new RangeError('undone')
    })
    await expect(write).rejects.toThrow('undone')
  }

  async #update({ id }: Job, patch: object): Promise<void> {
    await this.#db.write('t', (tx) => tx.update(quantumJobs, id, patch))
  }
}

test('the counted bytes are those of the records after any changes, and svc doctor agrees', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
      await using test = await openTestDatabase()
      const { db } = test
      const owners = await db.write('t', (tx) =>
        ['a', 'b'].map((name) => tx.insert(users, { username: name }).id),
      )
      const model = new Model(db, owners)
      for (const each of operations) await model.apply(each)
      expect(await storedBytes(db)).toEqual(model.expected())
      expect(await db.read((tx) => checkInvariants(tx, { maxAttempts: 5 }).filter(isAboutBytes))).toEqual([])
    }),
    { numRuns: 25 },
  )
}, 300_000)

const isAboutBytes = ({ text }: { text: string }) => text.includes('stored bytes')

test('svc doctor finds a wrong count', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const user = await db.write('t', (tx) => tx.insert(users, { username: 'a' }).id)
  await db.write('t', (tx) => tx.insert(quantumJobs, { user_id: user, payload: textOf('large') }))
  await db.write('t', (tx) => tx.run('UPDATE users SET job_bytes = job_bytes + 1'))
  const found = await db.read((tx) => checkInvariants(tx, { maxAttempts: 5 }).filter(isAboutBytes))
  expect(found).toMatchObject([{ rows: [{ user, difference: 1 }] }])
})

test('a user counts the jobs that were there before, and removing one leaves the jobs', async () => {
  await using test = await openTestDatabase()
  const { db } = test
  const user = newId(0)
  await db.write('t', (tx) => {
    for (const size of ['small', 'large'] as const)
      tx.run("INSERT INTO quantum_jobs (id, user_id, created, updated) VALUES ($size, $user, '', '')", {
        size,
        user,
      })
    tx.run("INSERT INTO quantum_jobs_large VALUES ('large', 'payload', '12345')")
    tx.insert(users, { id: user, username: 'a' })
  })
  expect(await storedBytes(db)).toEqual({ [user]: 2 * RECORD_BYTES + 5 })
  await db.write('t', (tx) => tx.remove(users, user))
  expect(await db.read((tx) => tx.all('SELECT id FROM quantum_jobs'))).toHaveLength(2)
  expect(await db.read((tx) => checkInvariants(tx, { maxAttempts: 5 }).filter(isAboutBytes))).toEqual([])
})
