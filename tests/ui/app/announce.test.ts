import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { createAnnouncer } from '../../../ui/app/announce.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('say() announces at once, then waits and announces only the newest text', () => {
  const announcer = createAnnouncer(5_000)
  announcer.say('one')
  expect(announcer.text.value).toBe('one')
  announcer.say('two')
  announcer.say('three')
  jest.advanceTimersByTime(4_999)
  expect(announcer.text.value).toBe('one')
  jest.advanceTimersByTime(1)
  expect(announcer.text.value).toBe('three')
})
