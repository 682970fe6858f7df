import { expect, test } from 'bun:test'
import { createLog } from '../../../src/base/index.ts'
import type { Change, ReadTx } from '../../../src/db/index.ts'
import { quantumJobs } from '../../../src/db/store/jobs/index.ts'
import { COUNTS } from '../../../src/server/admission/limits.ts'
import { Broadcast } from '../../../src/server/realtime/broadcast.ts'
import type { EventStream } from '../../../src/server/realtime/event-stream.ts'
import { Subscriptions } from '../../../src/server/realtime/subscriptions.ts'
import type { Topic } from '../../../src/server/realtime/topic.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { until } from '../../support/until.ts'

function topicOf(text: string, hasOptions: boolean): Topic {
  return { text, collection: quantumJobs, record: '*', query: {}, headers: {}, hasOptions }
}

/**
 * A broadcast to one stream with `count` topics, of which each decision takes 1 ms of its clock, and what the
 * stream received in order.
 */
function broadcastTo(count: number, { hasOptions }: { hasOptions: boolean }) {
  const clock = new FakeClock()
  const sent: string[] = []
  const state = { sent, decisions: 0, sleeps: 0, costly: 0, overflows: 0, now: 0 }
  const slow = Object.assign(Object.create(clock), {
    monotonic: () => state.now,
    sleep: async (ms: number) => {
      state.sleeps += 1
      state.now += ms
    },
  })
  const subscriptions = new Subscriptions()
  const stream = {
    caller: { kind: 'guest' },
    send: (topic: string, data: Uint8Array) => sent.push(`${new TextDecoder().decode(data)} ${topic}`),
    flush: () => undefined,
  } as unknown as EventStream
  subscriptions.set(
    stream,
    Array.from({ length: count }, (_, at) => topicOf(`t${at}`, hasOptions)),
  )
  let publish: (changes: readonly Change[]) => void = () => undefined
  const broadcast = new Broadcast({
    db: {
      read: async (work) => work({} as ReadTx),
      changes: {
        subscribe: (listener) => {
          publish = listener
          return () => undefined
        },
      },
    },
    log: createLog({ format: 'json', level: 'error', write: () => undefined }),
    clock: slow,
    subscriptions,
    publisher: {
      check: () => undefined,
      isPersonal: () => false,
      prepare: (change) => ({
        renderFor: () => {
          state.now += 1
          state.decisions += 1
          return new TextEncoder().encode(change.id)
        },
      }),
    },
    checkAccount: async () => undefined,
    afterRound: () => undefined,
    onOverflow() {
      state.overflows += 1
    },
    onCostlyTopics() {
      state.costly += 1
    },
  })
  broadcast.start()
  return {
    state,
    publish(ids: readonly string[]) {
      publish(
        ids.map((id, seq) => ({ collection: 'quantum_jobs', id, action: 'update', seq, record: { id } })),
      )
    },
  }
}

test('a change to 200 topics is published in turns of a few decisions, in the order of the changes', async () => {
  const { state, publish } = broadcastTo(200, { hasOptions: false })
  publish(['a', 'b'])
  const perTurn: number[] = []
  let before = 0
  while (before < 400) {
    await new Promise((resolve) => setImmediate(resolve))
    perTurn.push(state.decisions - before)
    before = state.decisions
  }
  expect(Math.max(...perTurn)).toBeLessThanOrEqual(8)
  expect(state.sent).toEqual(
    ['a', 'b'].flatMap((id) => Array.from({ length: 200 }, (_, at) => `${id} t${at}`)),
  )
  expect([state.sleeps, state.costly]).toEqual([0, 0])
})

test('work for topics with options pauses as long as it takes', async () => {
  const { state, publish } = broadcastTo(60, { hasOptions: true })
  publish(['a'])
  await until('everything is sent', () => state.decisions === 60)
  expect(state.sleeps).toBeGreaterThanOrEqual(9)
  expect(state.now).toBeGreaterThanOrEqual(110)
  expect(state.costly).toBe(0)
})

test('when changes wait for topics with options, the most costly client is reported', async () => {
  const { state, publish } = broadcastTo(10, { hasOptions: true })
  const count = COUNTS.queuedForOptions.bounds.all + 3
  publish(Array.from({ length: count }, (_, at) => `${at}`))
  await until('everything is sent', () => state.decisions === count * 10)
  expect(state.costly).toBeGreaterThan(0)
  expect(state.costly).toBeLessThan(20)
})

test('more changes at once than can wait are not published; all streams have to end', async () => {
  const { state, publish } = broadcastTo(1, { hasOptions: false })
  const most = COUNTS.queuedChanges.bounds.all
  publish(Array.from({ length: most + 1 }, (_, at) => `${at}`))
  expect(state.overflows).toBe(1)
  publish(['a'])
  await until('a later change is sent', () => state.sent.length > 0)
  expect(state.sent).toEqual(['a t0'])
})
