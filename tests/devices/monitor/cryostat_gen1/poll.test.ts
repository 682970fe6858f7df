import { expect, test } from 'bun:test'
import type { Fault, Outcome } from '../../../../src/devices/monitor/cryostat_gen1/client.ts'
import { createPoll } from '../../../../src/devices/monitor/cryostat_gen1/poll.ts'
import type { Reading } from '../../../../src/devices/monitor/cryostat_gen1/read-reply.ts'
import { recordedLog } from '../../../driver/support/logs.ts'

const signal = new AbortController().signal

function good(value = 1): Outcome {
  return { reading: { value, unit: '', status: 'SYNCHRONIZED' } }
}

function bad(fault: Fault, error: string = fault): Outcome {
  return { reading: { value: null, unit: '', status: 'ERROR', error }, fault }
}

/** A poll of `paths`, whose responses are in `responses`: by path, else `*`. */
function open(paths: string[], responses: Record<string, Outcome> = { '*': good() }, intervalS = 5) {
  const recorded = recordedLog()
  const emitted: Record<string, Reading>[] = []
  const requested: string[] = []
  const poll = createPoll({
    channels: paths.map((path) => ({ path, unit: '' })),
    async read({ path }) {
      requested.push(path)
      return responses[path] ?? responses['*'] ?? good()
    },
    log: recorded.log,
    intervalS,
    emit: (readings) => emitted.push(readings),
  })
  return {
    ...recorded,
    responses,
    emitted,
    requested,
    /** Polls `count` times; returns the ticks with requests, counted from 0. */
    async beats(count: number): Promise<number[]> {
      const ticks: number[] = []
      for (let beat = 0; beat < count; beat++) {
        const before = requested.length
        await poll(signal, 0)
        if (requested.length > before) ticks.push(beat)
      }
      return ticks
    },
    poll,
  }
}

test('poll() emits all channels in one event, in their order', async () => {
  const it = open(['b', 'a', 'c'], { a: good(1), b: good(2), c: bad('failed', 'timeout after 5 s') })
  await it.beats(1)
  expect(it.emitted).toEqual([
    { b: good(2).reading, a: good(1).reading, c: bad('failed', 'timeout after 5 s').reading },
  ])
  expect(Object.keys(it.emitted[0] ?? {})).toEqual(['b', 'a', 'c'])
  expect(it.lines).toEqual([])
})

test('poll() reads all channels, at most eight at a time', async () => {
  let open = 0
  let most = 0
  const paths = Array.from({ length: 50 }, (_, i) => `c${i}`)
  const emitted: Record<string, Reading>[] = []
  const poll = createPoll({
    channels: paths.map((path) => ({ path, unit: '' })),
    async read() {
      open += 1
      most = Math.max(most, open)
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      return good()
    },
    log: recordedLog().log,
    intervalS: 60,
    emit: (readings) => emitted.push(readings),
  })
  await poll(signal, 0)
  expect(most).toBe(8)
  expect(emitted.map((each) => Object.keys(each))).toEqual([paths])
})

test('poll() splits readings that are too large for one event', async () => {
  const it = open(
    Array.from({ length: 600 }, (_, i) => `channel_with_a_rather_long_name_${i}`),
    { '*': { reading: { ...good().reading, text: 'x'.repeat(200) } } },
  )
  await it.beats(1)
  expect(it.emitted.length).toBeGreaterThan(2)
  expect(it.emitted.flatMap((each) => Object.keys(each))).toHaveLength(600)
})

test('poll() emits nothing while no channel can be read, logs it once and backs off', async () => {
  const it = open(['a', 'b'], { a: bad('failed', 'timeout after 5 s'), b: bad('failed') })
  // Two polls on the tick, then pauses of 2, 4, 8 and at most 12 ticks.
  expect(await it.beats(42)).toEqual([0, 1, 2, 4, 8, 16, 28, 40])
  expect(it.emitted).toEqual([])
  expect(it.lines).toMatchObject([
    { level: 'warn', message: 'no channel could be read', error: 'timeout after 5 s' },
  ])
  it.responses['b'] = good()
  expect(await it.beats(20)).toEqual([10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
  expect(it.messages()).toEqual(['no channel could be read', 'cryostat responds again'])
  expect(it.emitted).toHaveLength(10)
})

test('poll() logs a second streak again', async () => {
  const it = open(['a'], { a: bad('failed') })
  await it.beats(1)
  it.responses['a'] = good()
  await it.beats(1)
  it.responses['a'] = bad('failed')
  await it.beats(1)
  expect(it.messages()).toEqual([
    'no channel could be read',
    'cryostat responds again',
    'no channel could be read',
  ])
})

test('poll() backs off at once when the key is refused, and logs what to check', async () => {
  const it = open(['a', 'b'], { a: bad('failed'), b: bad('denied', 'check api_key (HTTP 403)') }, 15)
  expect(await it.beats(12)).toEqual([0, 2, 6, 10])
  expect(it.lines).toMatchObject([
    { message: 'cryostat refuses the key; check api_key', error: 'check api_key (HTTP 403)' },
  ])
})

test('poll() logs that the key is refused also after another failure', async () => {
  const it = open(['a'], { a: bad('failed') })
  await it.beats(1)
  it.responses['a'] = bad('denied')
  await it.beats(1)
  expect(it.messages()).toEqual(['no channel could be read', 'cryostat refuses the key; check api_key'])
})

test('poll() does not back off for one channel that is refused', async () => {
  const it = open(['a', 'b'], { a: good(), b: bad('denied') })
  expect(await it.beats(4)).toEqual([0, 1, 2, 3])
  expect(it.lines).toEqual([])
})

test('poll() requests a channel that does not exist at every tenth tick, and logs it once', async () => {
  const it = open(['a', 'b'], { a: good(), b: bad('absent', 'no such channel (HTTP 404)') })
  await it.beats(31)
  expect(it.requested.filter((path) => path === 'b')).toHaveLength(4)
  expect(it.requested.filter((path) => path === 'a')).toHaveLength(31)
  expect(it.lines).toMatchObject([{ level: 'warn', channel: 'b' }])
  // It keeps its position in the events.
  expect(it.emitted).toHaveLength(31)
  expect(it.emitted.every((each) => each['b']?.error === 'no such channel (HTTP 404)')).toBe(true)
  it.responses['b'] = good(7)
  await it.beats(12)
  expect(it.emitted.slice(-3).map((each) => each['b']?.value)).toEqual([7, 7, 7])
})

test('poll() emits nothing when no channel exists, and does not count that as an outage', async () => {
  const it = open(['a', 'b'], { '*': bad('absent') })
  expect(await it.beats(21)).toEqual([0, 10, 20])
  expect(it.emitted).toEqual([])
  expect(it.lines).toHaveLength(2)
})

test('poll() counts skipped ticks and logs them once per streak', async () => {
  const it = open(['a'])
  for (const skipped of [0, 2, 3, 0, 1]) await it.poll(signal, skipped)
  expect(it.lines).toMatchObject([
    { message: 'reading takes longer than poll_interval; ticks are skipped', skipped: 2, total: 2 },
    { skipped: 1, total: 6 },
  ])
})
