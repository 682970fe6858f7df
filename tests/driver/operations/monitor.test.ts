import { expect, test } from 'bun:test'
import * as v from 'valibot'
import type { Clock } from '../../../src/base/index.ts'
import type { MonitorIo } from '../../../src/devices/index.ts'
import { runMonitor } from '../../../src/driver/operations/monitor.ts'
import { EVENTS, eventEnvelope } from '../../../src/protocol/index.ts'
import type { FakeClock } from '../../support/fake-clock.ts'
import { operationIo } from './support.ts'

async function open(start: (io: MonitorIo, clock: FakeClock) => void) {
  const at = operationIo()
  await runMonitor({ start: async (io) => start(io, at.clock) }, at.io).start()
  return at
}

test('runMonitor() sends valid events, each with its own id', async () => {
  const readings = { stage: { value: 0.01, unit: 'K', status: 'ok' } }
  const { sent } = await open((io) => {
    io.emit('CryostatReading', { readings })
    io.emit('CryostatReading', { readings })
  })
  const events = sent.flatMap((message) =>
    message.kind === 'event' ? [v.parse(eventEnvelope, JSON.parse(message.body))] : [],
  )
  expect(events).toHaveLength(2)
  expect(events[0]?.id).not.toBe(events[1]?.id ?? '')
  const declared = EVENTS.find((each) => each.type === 'CryostatReading')
  for (const event of events) expect(declared && v.is(declared.payload, event.payload)).toBe(true)
})

test('runMonitor() drops an event above the size limit of the server', async () => {
  const { sent, lines } = await open((io) => io.emit('Trace', { text: 'x'.repeat(70_000) }))
  expect(sent).toEqual([])
  expect(lines.at(-1)).toMatchObject({ level: 'warn', type: 'Trace', limit: 65_536 })
})

test('runMonitor() allows acknowledged events to be larger', async () => {
  const { sent, lines } = await open((io) => {
    io.emit('JobResult', { text: 'x'.repeat(70_000) })
    io.emit('JobResult', { text: 'x'.repeat(9 * 1024 * 1024) })
  })
  expect(sent).toHaveLength(1)
  expect(lines).toMatchObject([{ level: 'warn', limit: 8_454_144 }])
})

test('every() runs at once and then at a fixed rate', async () => {
  const times: number[] = []
  const { clock } = await open((io, clock) => io.every(2, async () => void times.push(clock.monotonic())))
  await clock.advance(6_500)
  expect(times).toEqual([0, 2_000, 4_000, 6_000])
})

test('every() skips ticks during a running call', async () => {
  const times: number[] = []
  const { clock } = await open((io, clock) =>
    io.every(1, async () => {
      times.push(clock.monotonic())
      await clock.sleep(2_500)
    }),
  )
  await clock.advance(7_000)
  expect(times).toEqual([0, 3_000, 6_000])
})

test('every() passes the number of skipped ticks', async () => {
  const calls: [number, number][] = []
  const { clock } = await open((io, clock) =>
    io.every(1, async (_, skipped) => {
      calls.push([clock.monotonic(), skipped])
      if (calls.length === 2) await clock.sleep(2_500)
    }),
  )
  await clock.advance(6_000)
  expect(calls).toEqual([
    [0, 0],
    [1_000, 0],
    [4_000, 2],
    [5_000, 0],
    [6_000, 0],
  ])
})

test('every() keeps its rate when a timer fires too early', async () => {
  const times: number[] = []
  const at = operationIo()
  const early: Clock = {
    now: () => at.clock.now(),
    monotonic: () => at.clock.monotonic(),
    sleep: (ms, signal) => at.clock.sleep(Math.max(0, ms - 0.4), signal),
  }
  const device = {
    start: async (io: MonitorIo) => io.every(1, async () => void times.push(early.monotonic())),
  }
  await runMonitor(device, { ...at.io, clock: early }).start()
  await at.clock.advance(3_500)
  expect(times).toEqual([0, 999.6, 1_999.6, 2_999.6])
})

test('every() continues after a failed call', async () => {
  let count = 0
  const { clock, lines } = await open((io) =>
    io.every(1, async () => {
      count += 1
      if (count === 1) throw new Error('no response')
    }),
  )
  await clock.advance(2_000)
  expect(count).toBe(3)
  expect(lines).toMatchObject([{ level: 'warn', message: 'reading failed' }])
})

test('every() ends with the driver, which also aborts the running call', async () => {
  let count = 0
  const { clock, stopping, lines } = await open((io, clock) =>
    io.every(1, (signal) => {
      count += 1
      return clock.sleep(10_000, signal)
    }),
  )
  stopping.abort(new Error('the driver stops'))
  await clock.advance(60_000)
  expect(count).toBe(1)
  expect(lines).toEqual([])
})

test.each([0, -1, Number.NaN])('every(%p) is refused', async (seconds) => {
  await expect(open((io) => io.every(seconds, async () => undefined))).rejects.toThrow(RangeError)
})
