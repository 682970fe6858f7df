import { expect, test } from 'bun:test'
import { SessionLab } from '../../../../support/sessions/session-lab.ts'

test('a session is paused its idle time after the last job, although the clock looks late', async () => {
  for (const mode of ['exclusive', 'batch'] as const) {
    await using lab = await SessionLab.open()
    const begun = lab.lab.clock.now()
    const held = await lab.start(lab.ada, { mode, idleSeconds: 2 })
    await lab.pass()
    const { id } = await lab.lab.submit(lab.ada)
    await lab.pass()
    await lab.pass(10)
    await lab.lab.complete(id)
    await lab.pass(22)
    const { state, stopped_at } = await lab.session(held)
    expect([mode, state, Date.parse(stopped_at) - begun]).toEqual([mode, 'paused', 12_000])
  }
})

test('a session with a long idle time remembers a job for all of it', async () => {
  await using lab = await SessionLab.open()
  const held = await lab.start(lab.ada, { seconds: 3_600, idleSeconds: 600 })
  await lab.pass()
  const { id } = await lab.lab.submit(lab.ada)
  await lab.pass()
  await lab.pass(10)
  await lab.lab.complete(id)
  await lab.pass(599)
  expect(await lab.stateOf(held)).toBe('active')
  await lab.pass(1)
  expect(await lab.stateOf(held)).toBe('paused idle')
})
