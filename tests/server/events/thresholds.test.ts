import { describe, expect, test } from 'bun:test'
import { HOUR_MS, toTimestamp } from '../../../src/base/index.ts'
import type { Database, RecordOf, Tx } from '../../../src/db/index.ts'
import { notifications, superusers } from '../../../src/db/store/accounts/index.ts'
import { drivers } from '../../../src/db/store/qpus/index.ts'
import { events, thresholds } from '../../../src/db/store/readings/index.ts'
import { webhooks } from '../../../src/db/store/webhooks/index.ts'
import { rollUpOnce } from '../../../src/server/events/roll-up.ts'
import { createThresholdWatch } from '../../../src/server/events/threshold-watch.ts'
import { JobLab } from '../../support/server/job-lab.ts'

type Threshold = RecordOf<typeof thresholds>

/**
 * A monitor with a threshold, which was set while the clock was ahead by `aheadMs`; `read` stores a reading
 * and evaluates it, `check` runs the watch.
 */
async function openLab(threshold: Partial<Threshold>, aheadMs = 0) {
  const lab = await JobLab.open()
  const { driver } = await lab.qpu()
  const { db, clock } = lab
  const owner = await lab.user()
  clock.jump(aheadMs)
  const { id } = await db.write('threshold', (tx) =>
    tx.insert(thresholds, {
      name: 'Mixing chamber',
      driver: driver.id,
      channel: 'tmc',
      limit: 0.02,
      ...threshold,
    }),
  )
  clock.jump(-aheadMs)
  await db.write('receivers', (tx) => {
    tx.insert(superusers, { email: 'root@example.org', mail_alerts: true })
    tx.insert(webhooks, {
      ...{ user: owner.id, url: 'https://example.org/', for_operators: true, secret: 'whsec_aa' },
      kinds: ['threshold.breached', 'threshold.cleared'],
    })
  })
  const read = async (value: number | null, reading: Record<string, unknown> = {}) => {
    const readings = { tmc: { value, unit: 'K', ...reading } }
    const ts = toTimestamp(clock.now()).replace(' ', 'T')
    await db.write('event', (tx) =>
      tx.insert(events, {
        source: 'd',
        driver: driver.id,
        type: 'CryostatReading',
        payload: { readings },
        ts,
      }),
    )
    await rollUpOnce({ db, clock, signal: new AbortController().signal })
  }
  return { lab, id, read, driver, check: watchOf(lab) }
}

/** Runs the watch once, as a server that started when this was called. */
function watchOf({ db, clock, log }: JobLab): () => Promise<void> {
  const loop = createThresholdWatch({ db, clock, log })
  return () => {
    loop.start()
    return loop.stop()
  }
}

/** What was announced, oldest first: events, webhook deliveries, notifications and mails. */
async function announced(db: Database) {
  return db.read((tx) => ({
    events: tx
      .list(events, { sort: 'created' })
      .filter(({ type }) => type.startsWith('Threshold'))
      .map(({ type }) => type),
    deliveries: tx
      .all<{ kind: string }>('SELECT kind FROM webhook_deliveries ORDER BY seq')
      .map(({ kind }) => kind),
    titles: tx.list(notifications, { sort: 'created' }).map(({ title }) => title),
    mails: tx
      .all<{ detail: string }>('SELECT detail FROM mail_items ORDER BY seq')
      .map(({ detail }) => JSON.parse(detail).text.split('. ')[0]),
  }))
}

const BREACHED = {
  events: ['ThresholdBreached'],
  deliveries: ['threshold.breached'],
  titles: ['Mixing chamber: limit exceeded'],
  mails: ['Mixing chamber: limit exceeded'],
}
const CLEARED = {
  events: ['ThresholdBreached', 'ThresholdCleared'],
  deliveries: ['threshold.breached', 'threshold.cleared'],
  titles: ['Mixing chamber: limit exceeded', 'Mixing chamber: within the limit again'],
  mails: ['Mixing chamber: limit exceeded', 'Mixing chamber: within the limit again'],
}
const NOTHING = { events: [], deliveries: [], titles: [], mails: [] }

describe('a threshold of a value', () => {
  test('announces its breach and its end once each', async () => {
    const { lab, read, id } = await openLab({})
    await using _ = lab
    const state = async () => {
      const row = await lab.db.read((tx) => tx.find(thresholds, id))
      return [row?.since !== '', row?.breached_at !== '']
    }
    await read(0.02)
    expect(await announced(lab.db)).toEqual(NOTHING)
    for (const value of [0.021, 0.03, 0.025]) {
      await read(value)
      expect(await announced(lab.db)).toEqual(BREACHED)
      expect(await state()).toEqual([true, true])
    }
    for (const value of [0.02, 0.01]) {
      await read(value)
      expect(await announced(lab.db)).toEqual(CLEARED)
      expect(await state()).toEqual([false, false])
    }
    const [breach, end] = await lab.db.read((tx) => tx.list(notifications, { sort: 'created' }))
    expect(breach).toMatchObject({
      description: expect.stringMatching(/^tmc is 0\.021 K, above 0\.02, since 2026-/),
      end_time: expect.stringMatching(/^2026-/),
    })
    expect(end?.target_users).toEqual([])
  })

  test('is breached only when it lasts', async () => {
    const { lab, read } = await openLab({ for_seconds: 60 })
    await using _ = lab
    for (const [value, seconds] of [
      [0.03, 59],
      [0.01, 10],
      [0.03, 59],
      [0.03, 1],
    ] as const) {
      await read(value)
      expect(await announced(lab.db)).toEqual(NOTHING)
      await lab.clock.advance(seconds * 1_000)
    }
    await read(0.03)
    expect(await announced(lab.db)).toEqual(BREACHED)
  })

  test('ignores readings without a number, in another unit, outdated, or of another time', async () => {
    const { lab, read, driver } = await openLab({ unit: 'K' })
    await using _ = lab
    await read(null)
    await read(99, { unit: 'mK' })
    await read(99, { outdated: true })
    for (const ts of ['2020-01-01T00:00:00.000Z', '2036-01-01T00:00:00.000Z']) {
      await lab.db.write('other time', (tx) =>
        tx.insert(events, {
          ...{ source: 'd', driver: driver.id, type: 'CryostatReading', ts },
          payload: { readings: { tmc: { value: 99, unit: 'K' } } },
        }),
      )
    }
    await read(null)
    expect(await announced(lab.db)).toEqual(NOTHING)
  })

  test('below is the other direction; a disabled threshold and a changed one have no breach', async () => {
    const { lab, read, id } = await openLab({ kind: 'below', limit: 1 })
    await using _ = lab
    await read(1)
    expect(await announced(lab.db)).toEqual(NOTHING)
    await read(0.5)
    expect(await announced(lab.db)).toEqual(BREACHED)
    await lab.db.write('change', (tx) => tx.update(thresholds, id, { enabled: false }))
    const ended = await announced(lab.db)
    expect(ended.titles).toEqual([...BREACHED.titles, 'Mixing chamber: breach ended'])
    await read(0.1)
    await read(5)
    expect(await announced(lab.db)).toEqual(ended)
    expect(await lab.db.read((tx) => tx.find(thresholds, id))).toMatchObject({ since: '', breached_at: '' })
  })
})

test.each<[reason: string, act: (tx: Tx, id: string, monitor: string) => void]>([
  ['the limit was disabled', (tx, id) => tx.update(thresholds, id, { enabled: false })],
  ['its channel, limit changed', (tx, id) => tx.update(thresholds, id, { limit: 9, channel: 'x' })],
  ['the limit was deleted', (tx, id) => tx.remove(thresholds, id)],
  ['the monitor qpu_1 was deleted', (tx, _, monitor) => tx.remove(drivers, monitor)],
  ['qpu_1 is not a monitor any more', (tx, _, id) => tx.update(drivers, id, { operation: 'calibrate' })],
])('a breach ends when %s', async (reason, act) => {
  const { lab, read, id, driver } = await openLab({})
  await using _ = lab
  await read(0.03)
  await lab.db.write('act', (tx) => act(tx, id, driver.id))
  expect(await announced(lab.db)).toEqual({
    events: CLEARED.events,
    deliveries: CLEARED.deliveries,
    titles: ['Mixing chamber: limit exceeded', 'Mixing chamber: breach ended'],
    mails: ['Mixing chamber: limit exceeded', 'Mixing chamber: breach ended'],
  })
  const [breach, end] = await lab.db.read((tx) => tx.list(notifications, { sort: 'created' }))
  expect(breach?.end_time).toBe(toTimestamp(lab.clock.now()))
  expect(end?.description).toContain(reason)
  const cleared = await lab.db.read((tx) => tx.findBy(events, { type: 'ThresholdCleared' }))
  expect(cleared?.payload).toMatchObject({ reason: expect.stringContaining(reason), value: null })
  expect(await lab.db.read((tx) => tx.find(thresholds, id)?.breached_at ?? '')).toBe('')
})

test('of the readings of one second the last event decides', async () => {
  const { lab, read, driver } = await openLab({})
  await using _ = lab
  await lab.db.write('events', (tx) => {
    for (let index = 0; index < 60; index += 1) {
      const [isLate, isAbove] = [index % 4 === 0, index % 8 === 0]
      const ts = toTimestamp(lab.clock.now() - (isLate ? 0 : 1_000)).replace(' ', 'T')
      const payload = { readings: { tmc: { value: isAbove ? 99 : 0.01, unit: 'K' } } }
      tx.insert(events, { source: 'd', driver: driver.id, type: 'CryostatReading', payload, ts })
    }
  })
  await read(0.01)
  const [found] = await lab.db.read((tx) => tx.list(thresholds))
  expect(found).toMatchObject({ since: '', breached_at: '' })
  const { titles } = await announced(lab.db)
  expect(titles.length).toBe(16)
})

describe('a threshold of the age', () => {
  test('that was set while the clock was ahead begins when it is set right', async () => {
    const { lab, check } = await openLab({ kind: 'stale', limit: 60 }, 10 * HOUR_MS)
    await using _ = lab
    await check()
    expect(await announced(lab.db)).toEqual(NOTHING)
    await lab.clock.advance(61_000)
    await check()
    expect(await announced(lab.db)).toEqual(BREACHED)
  })

  test('is breached when readings stop, and ends with the next one, also across restarts', async () => {
    const { lab, read, check } = await openLab({ kind: 'stale', limit: 60 })
    await using _ = lab
    await read(1)
    await check()
    await lab.clock.advance(60_000)
    await check()
    expect(await announced(lab.db)).toEqual(NOTHING)
    await lab.clock.advance(1_000)
    for (const _ of [1, 2]) await check()
    expect(await announced(lab.db)).toEqual(BREACHED)
    const afterRestart = watchOf(lab)
    await lab.clock.advance(120_000)
    await afterRestart()
    expect((await announced(lab.db)).deliveries[0]).toBe('threshold.breached')
    await read(1)
    await afterRestart()
    expect(await announced(lab.db)).toEqual(CLEARED)
  })

  test('is breached by a sensor that stopped: its last value is reported again and again', async () => {
    const { lab, read, check } = await openLab({ kind: 'stale', limit: 60 })
    await using _ = lab
    const ts = new Date(lab.clock.now()).toISOString()
    for (const expected of [NOTHING, BREACHED]) {
      await read(1, { ts })
      await check()
      expect(await announced(lab.db)).toEqual(expected)
      await lab.clock.advance(61_000)
    }
    await read(1, { ts: new Date(lab.clock.now()).toISOString() })
    await check()
    expect(await announced(lab.db)).toEqual(CLEARED)
  })

  test('counts from the start of the server, so that a stopped server reports nothing at its start', async () => {
    const { lab, read } = await openLab({ kind: 'stale', limit: 60 })
    await using _ = lab
    await read(1)
    await lab.clock.advance(86_400_000)
    const check = watchOf(lab)
    await check()
    expect(await announced(lab.db)).toEqual(NOTHING)
    await lab.clock.advance(61_000)
    await check()
    expect(await announced(lab.db)).toEqual(BREACHED)
  })
})

test('limits of the collection are refused by field', async () => {
  const { lab, driver } = await openLab({})
  await using _ = lab
  const add = (row: Partial<Threshold>) =>
    lab.db.write('add', (tx) => tx.insert(thresholds, { name: 'n', driver: driver.id, channel: 'c', ...row }))
  await expect(add({ kind: 'stale', limit: 0 })).rejects.toMatchObject({ fields: { limit: {} } })
  await expect(add({ for_seconds: 604_801 })).rejects.toMatchObject({ fields: { for_seconds: {} } })
  await lab.db.write('fill', (tx) => {
    for (let at = 1; at < 1_000; at++)
      tx.insert(thresholds, { name: 'n', driver: driver.id, channel: `c${at}` })
  })
  await expect(add({ limit: 1 })).rejects.toMatchObject({ code: 'conflict', reason: 'too_many_thresholds' })
})
