import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { COLLECTIONS, checkInvariants } from '../../../src/db/index.ts'
import { users } from '../../../src/db/store/accounts/index.ts'
import { calibrationRequests } from '../../../src/db/store/calibrations/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { drivers, qpus } from '../../../src/db/store/qpus/index.ts'
import { events } from '../../../src/db/store/readings/index.ts'
import { importRecords } from '../../../src/db/transfer/index.ts'
import { openTestDatabase } from '../../support/database.ts'
import { HASH, importing, NO_JOBS, problemsOf, TOKEN } from './support.ts'

const user = (id: string, more = {}) => ({ collection: 'users', id: id.padStart(15, '0'), ...more })
const ID = (text: string) => text.padStart(15, '0')

describe('importRecords()', () => {
  test('preserves ids and times, and creates missing ones', async () => {
    const at = '2020-02-03 04:05:06.789Z'
    const { target, errors } = await importing([
      user('a', { created: at, updated: '2021-01-01T00:00:00+01:00', password_hash: HASH }),
      { collection: 'users', username: 'b' },
    ])
    await using other = target
    expect(errors).toEqual([])
    const [a, b] = await other.db.read((tx) => tx.list(users))
    expect(a).toMatchObject({ id: ID('a'), created: at, updated: '2020-12-31 23:00:00.000Z', password: HASH })
    expect(b?.id).toMatch(/^[0-9a-z]{15}$/)
    expect(a?.tokenKey).toMatch(/^[0-9a-f]{64}$/)
  })

  test('converts the times of events to the form by which they are sorted and pruned', async () => {
    const times = ['2026-01-10 12:00:00.000Z', '2026-01-10T13:00:00+01:00', 'noon']
    const { target, errors } = await importing(
      times.map((ts) => ({ collection: 'events', source: 'x', type: 'Reading', ts })),
    )
    await using other = target
    expect(errors).toEqual([])
    const stored = await other.db.read((tx) => tx.list(events).map(({ ts }) => ts))
    expect(stored).toEqual(['2026-01-10T12:00:00.000Z', '2026-01-10T12:00:00.000Z', 'noon'])
  })

  test('accepts relations to later lines', async () => {
    const { target, errors } = await importing([
      { collection: 'api_tokens', user: ID('a'), token: TOKEN },
      user('a'),
    ])
    await using _ = target
    expect(errors).toEqual([])
  })

  const refusals: [string, unknown[], string[]][] = [
    ['malformed JSON', ['{"a'], ['1: malformed JSON (Unterminated string)']],
    [
      'a text that SQLite cannot read',
      [
        `{"collection":"events","source":"x","type":"T","ts":"t","payload":${'['.repeat(1_000)}${']'.repeat(1_000)}}`,
      ],
      ['1: nested deeper than 1,000 levels'],
    ],
    ['a value that is not an object', ['[]'], ['1: expected a JSON object']],
    [
      'an unknown collection',
      [{ collection: 'things' }],
      ['1: collection: there is no collection "things"; expected one of'],
    ],
    [
      'an unknown field',
      [user('a', { name: 'x' })],
      ['1: users.name: users has no such field; leave it out.'],
    ],
    [
      'an invalid id',
      [{ collection: 'users', id: 'UPPER' }],
      ['1: users.id: Must be 15 characters of 0-9 and a-z.'],
    ],
    ['a duplicate id', [user('a'), user('a')], [`2: users.id: ${ID('a')} is in the file already`]],
    ['an invalid time', [user('a', { created: 'now' })], ['1: users.created: Must be a UTC time']],
    ['a plain password', [user('a', { password: 'x' })], ['1: users.password: Give password_hash']],
    [
      'another hash',
      [user('a', { password_hash: 'md5' })],
      ['1: users.password_hash: Must be a bcrypt or argon2id'],
    ],
    [
      'a plain token',
      [user('a'), { collection: 'api_tokens', user: ID('a'), token: 'svc_x' }],
      ['2: api_tokens.token: Must be the SHA-256'],
    ],
    ['a reserved name', [user('a', { username: 'Superuser_1' })], ['1: users.username: Must not begin with']],
    [
      'a shared address',
      [user('a', { email: 'A@b.org' }), user('b', { email: 'a@b.org' })],
      ['2: users.email: another record has this value'],
    ],
    [
      'a missing relation',
      [{ collection: 'api_tokens', user: ID('z'), token: TOKEN }],
      [`1: api_tokens.user: there is no record ${ID('z')} in users`],
    ],
    [
      'some missing relations',
      [{ collection: 'notifications', title: 'x', target_users: [ID('y')] }],
      [`1: notifications.target_users: there is no record ${ID('y')} in users`],
    ],
    [
      'a slot that ends before it starts',
      [
        user('a'),
        { collection: 'time_slots', booked_by: ID('a'), start_time: '2020-01-02', end_time: '2020-01-01' },
      ],
      ['2: time_slots.end_time: Must be after'],
    ],
    [
      'overlapping slots',
      [
        user('a'),
        ...['1', '2'].map((id) => ({
          collection: 'time_slots',
          id: ID(id),
          booked_by: ID('a'),
          start_time: '2020-01-01',
          end_time: '2020-01-02',
        })),
      ],
      [`2: time_slots ${ID('1')}: Slots of the same QPU do not overlap`],
    ],
    [
      'a cancelled job with results',
      [{ collection: 'quantum_jobs', id: ID('1'), status: 'cancelled', results: {} }],
      [`1: quantum_jobs ${ID('1')}: A cancelled job has no result`],
    ],
    [
      'a pending job that cannot run',
      [{ collection: 'quantum_jobs' }],
      ['1: quantum_jobs.payload: no circuits'],
    ],
    [
      'several lines at once',
      [user('a', { x: 1, email: 'none' }), 'no', { collection: 'drivers' }],
      [
        '1: users.x',
        '1: users.email',
        '2: malformed',
        '3: drivers.name: Cannot be blank.',
        '3: drivers.qpu',
        '3: drivers.operation',
        '3: drivers.token',
      ],
    ],
  ]
  for (const [name, lines, expected] of refusals) {
    test(`rejects ${name} and writes nothing`, async () => {
      const { target, counts, errors } = await importing(lines)
      await using other = target
      const texts = errors.map(({ line, text }) => `${line}: ${text}`)
      expect(texts.map((text, at) => text.slice(0, expected[at]?.length))).toEqual(expected)
      expect(counts).toEqual({})
      expect(await other.db.read((tx) => COLLECTIONS.flatMap((each) => tx.list(each)))).toEqual([])
      expect(await problemsOf(other.db)).toEqual([])
    })
  }

  test('does not report a record because of another rejected one', async () => {
    const { target, errors } = await importing([
      user('a', { email: 'none' }),
      { collection: 'api_tokens', user: ID('a'), token: TOKEN },
    ])
    await using _ = target
    expect(errors).toEqual([{ line: 1, text: 'users.email: Must be a valid email address.' }])
  })

  test('lists at most 100 problems', async () => {
    const { target, errors } = await importing(Array.from({ length: 300 }, () => 'no'))
    await using _ = target
    expect(errors.map(({ line }) => line)).toEqual(Array.from({ length: 100 }, (_, at) => at + 1))
  })

  test('adds jobs that have not ended to the queue, and marks drivers and QPUs offline', async () => {
    const { target, errors } = await importing([
      { collection: 'qpus', id: ID('q'), name: 'cold-one', status: 'online', command_port: 9_000 },
      {
        collection: 'drivers',
        id: ID('d'),
        name: 'x',
        qpu: ID('q'),
        operation: 'process',
        token: TOKEN,
        status: 'online',
        leased: true,
      },
      {
        collection: 'quantum_jobs',
        status: 'running',
        attempt: 3,
        driver: ID('d'),
        payload: {},
        started_at: '2020-01-01',
      },
      { collection: 'calibration_requests', driver: ID('d'), mode: 'full', status: 'running' },
    ])
    await using other = target
    expect(errors).toEqual([])
    await other.db.read((tx) => {
      expect(tx.list(qpus)).toMatchObject([{ name: 'cold_one', status: 'offline', command_port: 0 }])
      expect(tx.list(drivers)).toMatchObject([{ status: 'offline', leased: false }])
      expect(tx.list(quantumJobs)).toMatchObject([
        { status: 'pending', attempt: 0, driver: '', started_at: '' },
      ])
      expect(tx.list(calibrationRequests)).toMatchObject([{ status: 'failed' }])
      expect(checkInvariants(tx)).toEqual([])
    })
  })

  test('adds to stored records, and rejects existing ones', async () => {
    await using one = await openTestDatabase()
    await importing([user('a', { qpu_seconds: 5 })], one)
    const second = await importing(
      [user('b'), { collection: 'qpu_time_requests', user: ID('a'), seconds: 2, status: 'approved' }],
      one,
    )
    expect(second.errors).toEqual([])
    expect(await one.db.read((tx) => tx.find(users, ID('a'))?.qpu_seconds)).toBe(5)
    const third = await importing([user('c'), user('b')], one)
    expect(third.errors).toEqual([{ line: 2, text: 'users.id: another record has this value' }])
    expect((await one.db.read((tx) => tx.list(users))).map(({ id }) => id)).toEqual([ID('a'), ID('b')])
    expect(await problemsOf(one.db)).toEqual([])
  })

  test('rejects a database that already violates an invariant', async () => {
    await using one = await openTestDatabase()
    await one.db.write('break', (tx) => {
      const { id } = tx.insert(users, { username: 'a' })
      tx.run('UPDATE users SET qpu_ms = 7 WHERE id = $id', { id })
    })
    await expect(importing([user('b')], one)).rejects.toThrow('I11: A balance is the sum of its ledger')
  })

  test('reports every 10,000th line, and accepts many', async () => {
    await using one = await openTestDatabase()
    const path = join(one.dir, 'in.jsonl')
    const line = `${JSON.stringify({ collection: 'events', source: 'x', type: 'Reading', ts: 'T' })}\n`
    writeFileSync(path, line.repeat(20_500))
    const reported: number[] = []
    const { counts } = await importRecords(one.db, {
      path,
      readPayload: NO_JOBS,
      onProgress: (number) => reported.push(number),
    })
    expect(reported).toEqual([10_000, 20_000])
    expect(counts).toEqual({ events: 20_500 })
    // Ids of the same millisecond could repeat, so each uses another millisecond.
    const ids = await one.db.read((tx) => tx.all<{ id: string }>('SELECT id FROM events ORDER BY seq'))
    expect(new Set(ids.map(({ id }) => id.slice(0, 8))).size).toBe(20_500)
  })

  test('marks ended jobs so that they cannot change any more', async () => {
    const { target } = await importing([{ collection: 'quantum_jobs', id: ID('1'), status: 'failed' }])
    await using other = target
    const broken = async (sql: string) => {
      await other.db.write('break', (tx) => tx.run(sql))
      return (await other.db.read((tx) => checkInvariants(tx))).map(({ id }) => id)
    }
    const pending = "UPDATE quantum_jobs SET status = 'pending', finished_at = ''"
    expect(await broken(pending)).toEqual(['I14'])
    const again = `UPDATE quantum_jobs SET history = history || ',["","failed",0,""]'`
    expect(await broken(again)).toContain('I1')
  })

  test('records the import in the audit log', async () => {
    const { target } = await importing([user('a')])
    await using other = target
    const row = await other.db.read((tx) => tx.one('SELECT act, subject, detail FROM audit_log'))
    expect(row).toEqual({ act: 'import', subject: 'in.jsonl', detail: '{"users":1}' })
  })
})
