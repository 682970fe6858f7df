import { expect, test } from 'bun:test'
import { noticeState } from '../../../../ui/pages/notices/notice-state.ts'

const now = Date.UTC(2026, 10, 20, 12)

test.each([
  ['', '', 'Shown'],
  ['2026-11-20 11:00:00.000Z', '2026-11-20 13:00:00.000Z', 'Shown'],
  ['2026-11-20 13:00:00.000Z', '', 'Planned'],
  ['', '2026-11-20 11:00:00.000Z', 'Ended'],
])('noticeState() from %j to %j is %s', (start_time, end_time, word) => {
  expect(noticeState({ start_time, end_time }, now).word).toBe(word)
})
