import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { fromTimestamp, newSecret } from '../../../src/base/index.ts'
import { type Armed, FaultLab, ROW_RUNS, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'
import { closeRow } from '../../support/faults/fault-runs.ts'
import { until } from '../../support/until.ts'

// The server is killed while a session starts, is activated, charged, paused and ended.
setDefaultTimeout(ROW_TIMEOUT_MS + 120_000)

interface Session {
  id: string
  state: string
  held_seconds: number
  paused_by: string
  activated_at: string
  stopped_at: string
}

let lab: FaultLab
beforeAll(async () => {
  lab = await FaultLab.open()
  await lab.startDriver()
})
afterAll(() => lab.close())

/** Repeats a call until the server has responded to it, across its restarts. */
function respond(method: string, path: string, body?: object, key = ''): Promise<Session> {
  const headers: Record<string, string> = key === '' ? {} : { 'idempotency-key': key }
  const options = { token: lab.user.token, headers, ...(body && { body }) }
  return until(`a response to ${method}`, async () => {
    const answer = await lab.service.call<Session>(method, path, options)
    return answer.status < 300 && answer.body
  })
}

const stateOf = (id: string) => respond('GET', `/api/sessions/${id}`).then(({ state }) => state)

/** Starts one that is paused after a second without a job, and ends it; it stands for itself alone. */
async function hold(idleSeconds = 1, heldMs = 0): Promise<void> {
  const sessions = () => lab.count('SELECT count(*) FROM sessions')
  const before = sessions()
  const body = { qpu_target: 'target', seconds: 600, idle_seconds: idleSeconds }
  const { id } = await respond('POST', '/api/sessions', body, newSecret(6))
  await until('the session to be active', async () => (await stateOf(id)) !== 'queued')
  if (heldMs === 0)
    await until('the session to be paused', async () => {
      const { held_seconds, paused_by } = await respond('GET', `/api/sessions/${id}`)
      // What was held before the kill is lost, and charged to nobody.
      return held_seconds > 0 || paused_by === 'idle'
    })
  else await Bun.sleep(heldMs)
  await respond('DELETE', `/api/sessions/${id}`)
  const ended = await respond('GET', `/api/sessions/${id}`)
  expect(ended.state).toBe('closed')
  assertCharged(ended)
  const of = { id }
  expect([
    sessions() - before,
    lab.count('SELECT count(*) FROM session_holders WHERE session = $id', of),
  ]).toEqual([1, 1])
}

/** It is charged once for each stretch, for no more than it was held; the balance is that of the ledger. */
function assertCharged({ id, held_seconds, activated_at, stopped_at }: Session): void {
  const of = { id }
  const entries = `FROM qpu_ledger WHERE kind = 'session' AND source_id LIKE $id || ':%'`
  const charged = lab.count(`SELECT coalesce(sum(used_ms), 0) ${entries}`, of)
  expect(charged).toBe(Math.round(held_seconds * 1_000))
  expect(lab.count(`SELECT count(*) ${entries}`, of)).toBe(
    lab.count('SELECT charges FROM sessions WHERE id = $id', of),
  )
  const heldMs = (fromTimestamp(stopped_at) ?? 0) - (fromTimestamp(activated_at) ?? 0)
  expect(charged).toBeLessThanOrEqual(heldMs)
  const user = { id: lab.user.id }
  expect(lab.count('SELECT sum(delta_ms) FROM qpu_ledger WHERE "user" = $id', user)).toBe(
    lab.count('SELECT qpu_ms FROM users WHERE id = $id', user),
  )
}

const STEPS = ['before', 'inside', 'after'] as const

test.each<[string, Armed]>([
  ...STEPS.map((step): [string, Armed] => [`start, ${step} the commit`, `start session.${step}:1:kill`]),
  ...STEPS.map((step): [string, Armed] => [
    `activation, ${step} the commit`,
    `settle sessions.${step}:1:kill`,
  ]),
  ['charge with its pause', 'session.charge-stored:1:kill'],
  ...STEPS.map((step): [string, Armed] => [`end, ${step} the commit`, `end session.${step}:1:kill`]),
])('killed at the %s: one session, charged once', async (_, armed) => {
  for (let run = 0; run < ROW_RUNS; run += 1) {
    await lab.restart(armed)
    await Promise.all([hold(), lab.hit(armed).then(() => lab.recover())])
  }
})

test('killed at the charge of a minute: charged once, for no more than it was held', async () => {
  await lab.restart('session.charge-stored:1:kill')
  const restarted = lab.service.ended(120_000).then(() => lab.restart())
  await Promise.all([hold(600, 63_000), restarted])
})

test('killed at random moments: one session each time, charged once', async () => {
  const runs = ROW_RUNS * 20
  for (let run = 0; run < runs; run += 1) {
    await lab.restart()
    const kill = async () => {
      await Bun.sleep(Math.random() * 4_000)
      await lab.restart()
    }
    await Promise.all([hold(), kill()])
  }
  closeRow('sessions killed at random moments', { runs })
})
