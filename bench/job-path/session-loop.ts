/**
 * Loops of jobs, each submitted when the one before has ended, with the built executable and `mock`:
 *
 * - `bun bench/job-path/session-loop.ts [--rounds 5] [--steps 1000]`: the time of a step in an exclusive
 *   session and without one, in turns of 100 steps. The goal is a ratio of the p50 of at most 1.05.
 * - `bun bench/job-path/session-loop.ts --classical 20 [--pause 30]`: so many steps with so many seconds of
 *   classical work after each, while jobs of another user wait. None of those may run in between.
 */
import { fromTimestamp } from '../../src/base/index.ts'
import { BELL } from '../../tests/support/executable/service.ts'
import { until } from '../../tests/support/until.ts'
import { percentile, spreadOf } from '../support/figures.ts'
import { Lab } from '../support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from '../support/output.ts'

const TURN = 100
const WARM_UP = 200
/** More than run in the time of all pauses, unless the session holds the QPU. */
const FOREIGN = 500
const QPU = 'bench_qpu'
const BODY = JSON.stringify({ circuits: [{ circuit: BELL }], shots: 100, qpu_target: QPU })

interface Started {
  id: string
  secret: string
  state: string
  activated_at: string
}

const { rounds, steps, classical, pause } = startBench('Loops in a session', {
  steps: '1000',
  classical: '0',
  pause: '30',
})

async function start({ service, token }: Lab): Promise<Started> {
  const body = { qpu_target: QPU, seconds: 28_800, idle_seconds: 60 }
  const { body: started } = await service.call<Started>('POST', '/api/sessions', { token, body })
  const active = await until('the session to be active', async () => {
    const read = await service.call<Started>('GET', `/api/sessions/${started.id}?wait=30`, { token })
    return read.body.state === 'active' && read.body
  })
  return { ...started, ...active }
}

function end({ service, token }: Lab, { id }: Started) {
  return service.call<{ stopped_at: string }>('DELETE', `/api/sessions/${id}`, { token })
}

/** Runs one job as a client does: submits by `credential` and waits for the end with its API token. */
async function step({ service: { url } }: Lab, apiToken: string, credential = apiToken): Promise<number> {
  const from = performance.now()
  const headers = { authorization: credential, 'content-type': 'application/json' }
  const sent = await fetch(`${url}/api/jobs`, { method: 'POST', headers, body: BODY })
  const { id } = (await sent.json()) as { id: string }
  const read = await fetch(`${url}/api/jobs/${id}?wait=30&omit=payload`, {
    headers: { authorization: apiToken },
  })
  const { status } = (await read.json()) as { status: string }
  if (status !== 'completed') throw new Error(`a job is ${status}`)
  return performance.now() - from
}

async function loop(count: number, run: () => Promise<number>): Promise<number[]> {
  const times: number[] = []
  for (let at = 0; at < count; at++) times.push(await run())
  return times
}

async function apiTokenOf({ service, token }: Lab): Promise<string> {
  const { body } = await service.call<{ token: string }>('POST', '/api/tokens', { token, body: {} })
  return body.token
}

async function compare(lab: Lab): Promise<void> {
  const own = await apiTokenOf(lab)
  await loop(WARM_UP, () => step(lab, own))
  const found: Record<string, number[]> = {}
  const note = (name: string, value: number) => {
    found[name] = [...(found[name] ?? []), value]
  }
  for (let round = 0; round < rounds; round++) {
    const times: { in: number[]; without: number[] } = { in: [], without: [] }
    for (let done = 0; done < Number(steps); done += TURN) {
      const session = await start(lab)
      times.in.push(...(await loop(TURN, () => step(lab, own, session.secret))))
      await end(lab, session)
      times.without.push(...(await loop(TURN, () => step(lab, own))))
    }
    const [held, free] = [percentile(times.in, 0.5), percentile(times.without, 0.5)]
    note('without a session, p50', free)
    note('in a session, p50', held)
    note('without a session, p99', percentile(times.without, 0.99))
    note('in a session, p99', percentile(times.in, 0.99))
    note('ratio of the p50', held / free)
  }
  printTable(
    [`ms, of ${steps} steps each`, ...SPREAD_HEAD],
    Object.entries(found).map(([name, values]) => [name, ...spreadCells(spreadOf(values))]),
  )
}

/** Counts the jobs of another user that start while a loop with classical work holds the QPU. */
async function countForeign(lab: Lab): Promise<void> {
  const { service } = lab
  const other = await service.createUser(1_000_000, 'other@example.org')
  const [own, session] = [await apiTokenOf(lab), await start(lab)]
  const headers = { authorization: other.token, 'content-type': 'application/json' }
  for (let sent = 0; sent < FOREIGN; sent++)
    await fetch(`${service.url}/api/jobs`, { method: 'POST', headers, body: BODY })
  for (let done = 0; done < Number(classical); done++) {
    await step(lab, own, session.secret)
    await Bun.sleep(Number(pause) * 1_000)
  }
  const { body: ended } = await end(lab, session)
  await until(
    'the jobs of the other user to end',
    async () => (await foreign(lab, other.token, 'pending')).length === 0,
  )
  const [from = 0, to = 0] = [session.activated_at, ended.stopped_at].map((at) => fromTimestamp(at) ?? 0)
  const inBetween = (await foreign(lab, other.token, 'completed'))
    .map(({ started_at }) => fromTimestamp(started_at) ?? 0)
    .filter((at) => at >= from && at < to)
  console.log(
    `${classical} steps with ${pause} s of classical work in ${((to - from) / 1_000).toFixed(0)} s, ` +
      `${FOREIGN} jobs of another user waiting: ${inBetween.length} of them ran in between`,
  )
  if (inBetween.length > 0) process.exitCode = 1
}

async function foreign({ service }: Lab, token: string, status: string) {
  const path = `/api/jobs?status=${status}&limit=${FOREIGN}`
  const { body } = await service.call<{ started_at: string }[]>('GET', path, { token })
  if (!Array.isArray(body)) throw new Error(JSON.stringify(body))
  return body
}

await using lab = await Lab.open()
await lab.startDriver()
await (Number(classical) > 0 ? countForeign(lab) : compare(lab))
