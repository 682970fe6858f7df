import { expect, test } from 'bun:test'
import { createAnnouncer } from '../../../ui/app/announce.ts'

test('say() announces at once, then waits and announces only the newest text', async () => {
  const announcer = createAnnouncer(40)
  announcer.say('one')
  expect(announcer.text.value).toBe('one')
  announcer.say('two')
  announcer.say('three')
  expect(announcer.text.value).toBe('one')
  await Bun.sleep(70)
  expect(announcer.text.value).toBe('three')
})
