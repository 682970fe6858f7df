import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { untilJob } from '../../support/executable/job-calls.ts'
import { type Armed, FaultLab, ROW_TIMEOUT_MS } from '../../support/faults/fault-lab.ts'
import { until } from '../../support/until.ts'

const STEPS = ['before', 'inside', 'after'] as const
const INTENTS = ['declare recall', 'refund recalled jobs', 'undo recall'] as const

test(
  'each job is refunded once, and deducted once after the recall was withdrawn, whatever step is killed',
  async () => {
    await using lab = await FaultLab.open()
    const { service } = lab
    const token = await service.admin()
    await using _driver = await lab.startDriver()
    const submit = async () => {
      const body = {
        circuits: [{ circuit: 'OPENQASM 3.0; qubit q; bit c; c = measure q;' }],
        qpu_target: 'target',
      }
      return (await service.call<{ id: string }>('POST', '/api/jobs', { token: lab.user.token, body })).body
        .id
    }
    const jobs = await Promise.all(Array.from({ length: 60 }, submit))
    for (const job of jobs) await untilJob(service, lab.user.token, job, ['completed'])
    const stored = <T>(sql: string) => {
      using file = new Database(join(lab.folder, 'svc_data', 'svc.db'), { readonly: true })
      return file.query<T, []>(sql).all()
    }
    const total = () =>
      stored<{ ms: number; count: number }>(
        "SELECT coalesce(sum(delta_ms), 0) AS ms, count(*) AS count FROM qpu_ledger WHERE kind = 'refund'",
      )[0]
    // All are in the ledger once the server has been stopped.
    const charged = () =>
      stored<{ ms: number }>("SELECT 0 - sum(delta_ms) AS ms FROM qpu_ledger WHERE kind = 'charge'")[0]?.ms ??
      0
    // What took less than half a millisecond cost nothing, and nothing is refunded.
    const paid = stored("SELECT 1 FROM qpu_ledger WHERE kind = 'charge' AND delta_ms < 0").length
    expect(paid).toBeGreaterThan(0)
    let entries = 0
    for (const intent of INTENTS)
      for (const step of STEPS) {
        const armed: Armed = `${intent}.${step}:1:kill`
        await lab.restart(armed)
        // A call whose response the kill took is repeated; the second one says that it was done.
        let isKilled = false
        const call = async (path: string, body: object) => {
          const send = () => service.call('POST', path, { token, body: { reason: 'bad', ...body } })
          await send().catch(async () => {
            await lab.recover()
            isKilled = true
            await send()
          })
        }
        const from = '2026-01-01'
        const to = new Date(Date.now() - 1).toISOString()
        await call('/api/op/recalls', { qpu: 'target', from, to })
        if (intent === 'refund recalled jobs' && !isKilled) await lab.recover()
        await until('the refunds', async () => total()?.ms === charged(), { timeoutMs: 90_000 })
        entries += paid
        expect(total()).toEqual({ ms: charged(), count: entries })
        for (const { id } of stored<{ id: string }>("SELECT id FROM recalls WHERE undone_at = ''"))
          await call(`/api/op/recalls/${id}/undo`, {})
        await until('the deductions', async () => total()?.ms === 0, { timeoutMs: 90_000 })
        entries += paid
        expect(total()).toEqual({ ms: 0, count: entries })
      }
    await service.stop()
    expect((await service.doctor()).out).toContain('no problems found')
  },
  ROW_TIMEOUT_MS * 5,
)
