import { describe, expect, test } from 'bun:test'
import { AppError, type FieldError, isId } from '../../../src/base/index.ts'
import type { Change, Database } from '../../../src/db/index.ts'
import {
  apiTokens,
  notifications,
  qpuTimeRequests,
  superusers,
  users,
} from '../../../src/db/store/accounts/index.ts'
import { timeSlots } from '../../../src/db/store/bookings/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { ended } from '../../support/ended-job.ts'

async function refused(work: Promise<unknown>): Promise<Record<string, FieldError>> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof AppError) || error.code !== 'invalid')
    throw new Error(`not refused: ${String(error)}`)
  return error.fields
}

async function seed(db: Database) {
  return db.write('seed', (tx) => {
    const user = tx.insert(users, { email: 'ada@example.org', username: 'ada' })
    const qpu = tx.insert(qpus, { name: 'north' })
    const driver = tx.insert(drivers, { name: 'one', qpu: qpu.id, operation: 'process', token: 'aa' })
    return { user: user.id, qpu: qpu.id, driver: driver.id }
  })
}

describe('insert()', () => {
  test('fills id, times and defaults', async () => {
    await using test = await openTestDatabase()
    const qpu = await test.db.write('add', (tx) => tx.insert(qpus, { name: 'my-qpu' }))
    expect(isId(qpu.id)).toBe(true)
    expect(qpu).toMatchObject({
      name: 'my_qpu',
      status: 'offline',
      enabled: true,
      num_qubits: 1,
      device_config: null,
    })
    expect(qpu.created).toBe('2026-01-31 09:00:00.000Z')
    expect(await test.db.read((tx) => tx.find(qpus, qpu.id))).toEqual(qpu)
  })

  test('accepts an id of the caller and rejects an invalid or used one', async () => {
    await using test = await openTestDatabase()
    const insert = (id: string) => test.db.write('add', (tx) => tx.insert(users, { id }))
    expect((await insert('abcdefghij01234')).id).toBe('abcdefghij01234')
    expect((await refused(insert('abcdefghij01234')))['id']?.code).toBe('validation_pk_invalid')
    expect((await refused(insert('short')))['id']).toEqual({
      code: 'validation_min_text_constraint',
      message: 'Must be at least 15 character(s).',
      params: { min: 15 },
    })
    expect((await refused(insert('abcdefghij012345')))['id']?.code).toBe('validation_max_text_constraint')
    expect((await refused(insert('ABCDEFGHIJ01234')))['id']?.code).toBe('validation_invalid_format')
  })

  test('reports all rejected fields together, with the error codes of the record store', async () => {
    await using test = await openTestDatabase()
    const fields = await refused(
      test.db.write('add', (tx) =>
        tx.insert(drivers, { name: '', qpu: 'nowhere00000000', host: 'x'.repeat(300) }),
      ),
    )
    expect(fields).toEqual({
      name: { code: 'validation_required', message: 'Cannot be blank.' },
      qpu: {
        code: 'validation_missing_rel_records',
        message: 'Failed to find all relation records with the provided ids.',
      },
      operation: { code: 'validation_required', message: 'Cannot be blank.' },
      token: { code: 'validation_required', message: 'Cannot be blank.' },
      host: {
        code: 'validation_max_text_constraint',
        message: 'Must be no more than 255 character(s).',
        params: { max: 255 },
      },
    })
  })

  test('names the field of a unique value that is taken, except for empty values', async () => {
    await using test = await openTestDatabase()
    const insert = (email: string) => test.db.write('add', (tx) => tx.insert(users, { email }))
    await insert('')
    await insert('')
    await insert('ada@example.org')
    expect(await refused(insert('ada@example.org'))).toEqual({
      email: { code: 'validation_not_unique', message: 'Value must be unique.' },
    })
  })

  test('names each unique value that is taken, of a new record and of a changed one', async () => {
    await using test = await openTestDatabase()
    const insert = (email: string, username: string) =>
      test.db.write('add', (tx) => tx.insert(users, { email, username }))
    await insert('ada@example.org', 'ada')
    const bob = await insert('bob@example.org', 'bob')
    const taken = { email: 'ada@example.org', username: 'ada' }
    const notUnique = { code: 'validation_not_unique', message: 'Value must be unique.' }
    const change = test.db.write('change', (tx) => tx.update(users, bob.id, taken))
    for (const act of [insert(taken.email, taken.username), change])
      expect(await refused(act)).toEqual({ email: notUnique, username: notUnique })
  })

  test('records an opening balance in the ledger', async () => {
    await using test = await openTestDatabase()
    const user = await test.db.write('add', (tx) =>
      tx.insert(users, { email: 'a@b.cd', qpu_seconds: 12.345 }),
    )
    expect(await test.db.read((tx) => tx.find(users, user.id)?.qpu_seconds)).toBe(12.345)
    expect(await test.db.read((tx) => tx.all('SELECT "user", kind, delta_ms FROM qpu_ledger'))).toEqual([
      { user: user.id, kind: 'opening', delta_ms: 12_345 },
    ])
  })

  test('throws TypeError for a field that is not declared', async () => {
    await using test = await openTestDatabase()
    const values: Record<string, unknown> = { name: 'x', color: 'red' }
    await expect(test.db.write('add', (tx) => tx.insert(qpus, values))).rejects.toThrow('no field "color"')
  })
})

describe('update()', () => {
  test('changes only the patch', async () => {
    await using test = await openTestDatabase()
    const { qpu } = await seed(test.db)
    await test.clock.advance(1_000)
    const after = await test.db.write('edit', (tx) => tx.update(qpus, qpu, { num_qubits: 5 }))
    expect(after).toMatchObject({ name: 'north', num_qubits: 5, updated: '2026-01-31 09:00:01.000Z' })
    expect(after?.created).toBe('2026-01-31 09:00:00.000Z')
    expect(await test.db.read((tx) => tx.find(qpus, qpu)?.updated)).toBe('2026-01-31 09:00:01.000Z')
  })

  test('does nothing if the guard is false or the record does not exist', async () => {
    await using test = await openTestDatabase()
    const { user } = await seed(test.db)
    const job = await test.db.write('add', (tx) => tx.insert(quantumJobs, { user_id: user }))
    const changes: Change[] = []
    test.db.changes.subscribe((all) => changes.push(...all))
    const claim = () =>
      test.db.write('claim', (tx) =>
        tx.update(quantumJobs, job.id, { status: 'running', attempt: 1 }, { status: 'pending' }),
      )
    expect((await claim())?.status).toBe('running')
    expect(await claim()).toBeUndefined()
    expect(await test.db.write('edit', (tx) => tx.update(quantumJobs, 'nowhere00000000', {}))).toBeUndefined()
    expect(changes).toHaveLength(1)
  })

  test('rejects a write of a balance that bypasses the ledger', async () => {
    await using test = await openTestDatabase()
    const { user } = await seed(test.db)
    await expect(test.db.write('edit', (tx) => tx.update(users, user, { qpu_seconds: 5 }))).rejects.toThrow(
      'users.qpu_seconds changes only by the ledger',
    )
  })

  test('stores and compares JSON values', async () => {
    await using test = await openTestDatabase()
    const { user } = await seed(test.db)
    const payload = { circuits: [{ circuit: 'OPENQASM 3;' }], shots: 3 }
    const job = await test.db.write('add', (tx) => tx.insert(quantumJobs, { user_id: user, payload }))
    expect(await test.db.read((tx) => tx.findBy(quantumJobs, { payload })?.id)).toBe(job.id)
    expect(await test.db.read((tx) => tx.findBy(quantumJobs, { results: null })?.payload)).toEqual(payload)
  })
})

describe('list()', () => {
  test('filters, sorts by declared names and returns pages in insertion order', async () => {
    await using test = await openTestDatabase()
    await test.db.write('add', (tx) => {
      for (const [name, num_qubits] of [
        ['c', 1],
        ['a', 2],
        ['b', 2],
      ] as const)
        tx.insert(qpus, { name, num_qubits })
    })
    const names = (query: Parameters<typeof listNames>[1]) => listNames(test.db, query)
    expect(await names({})).toEqual(['c', 'a', 'b'])
    expect(await names({ sort: '-num_qubits,name' })).toEqual(['a', 'b', 'c'])
    expect(await names({ sort: '-seq', limit: 1, offset: 1 })).toEqual(['a'])
    expect(await names({ where: { num_qubits: 2 } })).toEqual(['a', 'b'])
    await expect(names({ sort: 'name; DROP TABLE qpus' })).rejects.toThrow('has no field')
  })
})

function listNames(
  db: Database,
  query: { where?: { num_qubits: number }; sort?: string; limit?: number; offset?: number },
) {
  return db.read((tx) => tx.list(qpus, query).map((qpu) => qpu.name))
}

describe('remove()', () => {
  test('is rejected while a required relation refers to the record', async () => {
    await using test = await openTestDatabase()
    const { qpu } = await seed(test.db)
    await expect(test.db.write('drop', (tx) => tx.remove(qpus, qpu))).rejects.toThrow(
      'Make sure that the record is not part of a required relation reference',
    )
    expect(await test.db.read((tx) => tx.find(qpus, qpu)?.name)).toBe('north')
  })

  test('removes cascading records, clears other relations and leaves ids in logs and jobs', async () => {
    await using test = await openTestDatabase()
    const { user, qpu, driver } = await seed(test.db)
    const created = await test.db.write('add', (tx) => ({
      token: tx.insert(apiTokens, { user, token: 'hash' }).id,
      job: tx.insert(quantumJobs, { ...ended(), user_id: user, driver }).id,
      note: tx.insert(notifications, { title: 'Hello', target_users: [user], dismissed_by: [user] }).id,
      shared: tx.insert(notifications, { title: 'Hello', target_users: [], dismissed_by: [user] }).id,
      event: tx.insert(events, {
        source: 'one',
        driver,
        type: 'CryostatReading',
        ts: '2026-01-31T09:00:00.000Z',
      }).id,
    }))
    const changes: Change[] = []
    test.db.changes.subscribe((all) => changes.push(...all))
    await test.db.write('drop', (tx) => {
      expect(tx.remove(users, user)).toBe(true)
      expect(tx.remove(users, user)).toBe(false)
      tx.remove(drivers, driver)
      tx.remove(qpus, qpu)
    })
    await test.db.read((tx) => {
      expect(tx.find(apiTokens, created.token)).toBeUndefined()
      expect(tx.find(quantumJobs, created.job)).toMatchObject({ user_id: '', driver })
      // Without a target it would be for everybody.
      expect(tx.find(notifications, created.note)).toBeUndefined()
      expect(tx.find(notifications, created.shared)).toMatchObject({ target_users: [], dismissed_by: [] })
      expect(tx.find(events, created.event)?.driver).toBe(driver)
    })
    const seen = changes.map((change) => `${change.action} ${change.collection}`)
    expect(seen).toContain('delete api_tokens')
    expect(seen).toContain('update quantum_jobs')
    expect(seen).toContain('delete users')
    expect(changes.find((change) => change.collection === 'qpus')?.record).toMatchObject({ name: 'north' })
  })

  test('does not remove the last superuser', async () => {
    await using test = await openTestDatabase()
    const [one, two] = await test.db.write('add', (tx) => [
      tx.insert(superusers, { email: 'one@example.org' }).id,
      tx.insert(superusers, { email: 'two@example.org' }).id,
    ])
    await test.db.write('drop', (tx) => tx.remove(superusers, one ?? ''))
    await expect(test.db.write('drop', (tx) => tx.remove(superusers, two ?? ''))).rejects.toThrow(
      'last superuser',
    )
  })
})

describe('hooks', () => {
  const NINE = '2026-02-01 09:00:00.000Z'
  const TEN = '2026-02-01 10:00:00.000Z'
  const ELEVEN = '2026-02-01 11:00:00.000Z'

  test('time_slots refuse overlap per QPU; a slot for every QPU overlaps with all', async () => {
    await using test = await openTestDatabase()
    const { user, qpu } = await seed(test.db)
    const other = await test.db.write('add', (tx) => tx.insert(qpus, { name: 'south' }).id)
    const book = (start_time: string, end_time: string, on: string) =>
      test.db.write('book', (tx) => tx.insert(timeSlots, { booked_by: user, start_time, end_time, qpu: on }))
    const first = await book(NINE, TEN, qpu)
    await book(NINE, TEN, other)
    await book(TEN, ELEVEN, '')
    expect((await refused(book(NINE, TEN, '')))['start_time']?.code).toBe('validation_slot_overlap')
    expect((await refused(book(TEN, ELEVEN, qpu)))['start_time']?.code).toBe('validation_slot_overlap')
    expect((await refused(book('', ELEVEN, qpu)))['start_time']?.code).toBe('validation_required')
    expect((await refused(book('someday', ELEVEN, qpu)))['start_time']?.code).toBe('validation_required')
    expect((await refused(book(ELEVEN, TEN, qpu)))['end_time']?.code).toBe('validation_invalid_value')
    const longer = test.db.write('edit', (tx) => tx.update(timeSlots, first.id, { end_time: ELEVEN }))
    expect((await refused(longer))['start_time']?.code).toBe('validation_slot_overlap')
    const same = await test.db.write('edit', (tx) =>
      tx.update(timeSlots, first.id, { end_time: '2026-02-01T09:30:00Z' }),
    )
    expect(same?.end_time).toBe('2026-02-01 09:30:00.000Z')
  })

  test('qpu_time_requests cannot change their owner or seconds, nor anything once processed', async () => {
    await using test = await openTestDatabase()
    const { user } = await seed(test.db)
    const request = await test.db.write('request', (tx) => tx.insert(qpuTimeRequests, { user, seconds: 60 }))
    const edit = (patch: Parameters<typeof editRequest>[2]) => editRequest(test.db, request.id, patch)
    expect((await refused(edit({ seconds: 90 })))['seconds']?.code).toBe('validation_unchangeable')
    await edit({ status: 'rejected', rejection_reason: 'No' })
    await expect(edit({ status: 'approved' })).rejects.toThrow('Processed requests cannot be changed')
  })

  test('notifications must not end before they start', async () => {
    await using test = await openTestDatabase()
    const add = test.db.write('add', (tx) =>
      tx.insert(notifications, { title: 'x', start_time: TEN, end_time: NINE }),
    )
    expect((await refused(add))['end_time']?.code).toBe('validation_invalid_value')
  })

  test('disabled drivers and QPUs are offline', async () => {
    await using test = await openTestDatabase()
    const { qpu, driver } = await seed(test.db)
    await test.db.write('edit', (tx) => {
      tx.update(qpus, qpu, { status: 'online' })
      tx.update(drivers, driver, { status: 'online', device: './my-device.js#open' })
      expect(tx.update(qpus, qpu, { enabled: false })?.status).toBe('offline')
      expect(tx.update(drivers, driver, { enabled: false })).toMatchObject({
        status: 'offline',
        device: './my-device.js#open',
      })
    })
  })
})

function editRequest(
  db: Database,
  id: string,
  patch: { seconds?: number; status?: 'approved' | 'rejected'; rejection_reason?: string },
) {
  return db.write('edit', (tx) => tx.update(qpuTimeRequests, id, patch))
}
