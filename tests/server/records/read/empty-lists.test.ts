import { expect, test } from 'bun:test'
import { FakeClock } from '../../../support/fake-clock.ts'
import { openTestServer, type TestClient } from '../../../support/server/server.ts'

const pathOf = (collection: string) =>
  `/api/collections/${collection}/records?filter=${encodeURIComponent('id = "aaaaaaaaaaaaaaa"')}`

test('only repeated filtered lists without a result are delayed', async () => {
  const clock = new FakeClock()
  await using server = await openTestServer({ clock })
  const me = server.as(await server.createUser())
  const list = async (client: TestClient, path = pathOf('time_slots')) => {
    expect((await client.get(path)).get('items')).toEqual([])
  }
  // The clock does not advance, so a delayed response does not arrive.
  for (let times = 0; times < 3; times += 1) await list(me)
  let hasResponse = false
  const fourth = list(me).then(() => {
    hasResponse = true
  })
  for (let times = 0; times < 5; times += 1) {
    // Superusers see everything, QPUs are public, and a list without a filter cannot probe anything.
    await list(server.admin)
    await list(me, pathOf('qpus'))
    await list(me, '/api/collections/time_slots/records')
  }
  await list(me, pathOf('qpu_time_requests'))
  expect(hasResponse).toBe(false)
  await clock.advance(500)
  await fourth
  await clock.advance(1_000)
  await list(me)
})
