import { expect, test } from 'bun:test'
import { systemClock } from '../../../src/base/index.ts'
import { encodingLimit } from '../../../src/driver/operations/encoding-limit.ts'

function limitFrom(from: number) {
  let now = from
  const phases: string[] = []
  const clock = { ...systemClock, monotonic: () => now }
  const phase = (name: string) => phases.push(name)
  const checkpoint = encodingLimit({ clock, startedAt: 1_000, deadline: 3_000, phase })
  const at = (ms: number) => {
    now = ms
    checkpoint()
  }
  return { at, phases }
}

test('encoding ends at the deadline of its job, names itself and is reported when it takes long', () => {
  const { at, phases } = limitFrom(2_500)
  at(2_700)
  expect(phases).toEqual([])
  at(2_999)
  expect(phases).toEqual(['encoding'])
  expect(() => at(3_000)).toThrow(
    expect.objectContaining({
      message: 'job timed out after 2 s during encoding (execution 1.5 s, encoding 0.5 s)',
      ...{ class: 'user', errorCode: 'timed_out', executed: true },
    }),
  )
})

test('a device that returns after the deadline has timed out by itself', () => {
  expect(() => limitFrom(3_100).at(3_100)).toThrow(
    'job timed out after 2 s during execution (execution 2.1 s, encoding 0 s)',
  )
})
