import { expect, test } from 'bun:test'
import { createDialogs } from '../../../ui/app/dialogs.ts'

test('ask() resolves with the answer, and with no when another question takes its place', async () => {
  const dialogs = createDialogs()
  const first = dialogs.ask({ title: 'Delete?', action: 'Delete' })
  const second = dialogs.ask({ title: 'Drain?', action: 'Drain' })
  expect((await first).confirmed).toBe(false)
  dialogs.question.value?.answer({ confirmed: true, reason: 'warm-up' })
  expect(await second).toEqual({ confirmed: true, reason: 'warm-up' })
  expect(dialogs.question.value).toBeUndefined()
})

test('toast() keeps the newest messages, each until it is closed', () => {
  const dialogs = createDialogs()
  for (const text of ['a', 'b', 'c', 'd']) dialogs.toast(text, 'bad')
  expect(dialogs.toasts.value.map(({ text }) => text)).toEqual(['b', 'c', 'd'])
  const [oldest] = dialogs.toasts.value
  if (oldest) dialogs.close(oldest)
  expect(dialogs.toasts.value.map(({ text }) => text)).toEqual(['c', 'd'])
})
