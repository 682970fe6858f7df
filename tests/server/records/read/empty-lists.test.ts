import { expect, test } from 'bun:test'
import { FakeClock } from '../../../support/fake-clock.ts'
import { openTestServer, type TestClient } from '../../../support/server/server.ts'

const pathOf = (collection: string) =>
  `/api/collections/${collection}/records?filter=${encodeURIComponent('id = "aaaaaaaaaaaaaaa"')}`

test('who keeps filtering for what is not there waits for the answers, and nobody else does', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const me = server.as(await server.createUser())
  const ask = async (client: TestClient, path = pathOf('time_slots')) => {
    expect((await client.get(path)).get('items')).toEqual([])
  }
  // With the clock standing still an answer that waits does not come.
  for (let times = 0; times < 3; times += 1) await ask(me)
  let isAnswered = false
  const fourth = ask(me).then(() => {
    isAnswered = true
  })
  for (let times = 0; times < 5; times += 1) {
    // Superusers see everything, all may see QPUs, and without a filter nothing is guessed.
    await ask(server.admin)
    await ask(me, pathOf('qpus'))
    await ask(me, '/api/collections/time_slots/records')
  }
  await ask(me, pathOf('qpu_time_requests'))
  expect(isAnswered).toBe(false)
  await clock.advance(500)
  await fourth
  await clock.advance(1_000)
  await ask(me)
})
