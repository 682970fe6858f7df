import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { openFileService } from '../../support/executable/file-service.ts'
import { readJob, submit, untilJob } from '../../support/executable/job-calls.ts'
import { BELL, runSvc } from '../../support/executable/service.ts'
import { TunerLab } from '../../support/executable/tuner-lab.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(60_000)

const { service, user } = await openFileService()
const REPORTS = '/api/collections/calibration_results/records'
const REASON = 'the magnet was off'

/** What users see of the calibration of the QPU before a run; undefined = nothing of a recall. */
async function seen(token = user.token) {
  const { body: qpus } = await service.call<Record<string, unknown>[]>('GET', '/api/qpus', { token })
  const { body: reports } = await service.call<{ items: { id: string; recalled: unknown }[] }>(
    'GET',
    REPORTS,
    { token },
  )
  const dryRun = await service.call<{ warnings: { code: string }[] }>('POST', '/api/jobs?dry_run=true', {
    token,
    body: { circuit: BELL, qpu_target: 'kelvin' },
  })
  return {
    qpu: qpus[0]?.['recalled_calibration'],
    reports: (reports.items ?? []).filter(({ recalled }) => recalled).map(({ id }) => id),
    warnings: (dryRun.body.warnings ?? []).filter(({ code }) => code === 'calibration_recalled'),
  }
}

const commandLine = async (...args: string[]) => {
  const env = {
    SVC_ADDR: service.url,
    SVC_API_TOKEN: user.token,
    SVC_CLIENT_CONFIG: join(service.folder, 'none'),
  }
  const { status, out, err } = await runSvc(args, { cwd: service.folder, env, stdin: BELL })
  expect({ status, err }).toEqual({ status: 0, err })
  return { out, err }
}

test('a recalled calibration is seen before a run, until it is withdrawn or a newer one is in force', async () => {
  const qpu = await service.createQpu('kelvin')
  service.startDriver('kelvin', qpu, 'mock')
  const tuner = await TunerLab.register(service, qpu)
  await using _tuner = tuner.start()
  tuner.open()
  await service.untilOnline('kelvin')
  const token = await service.admin()
  const calibrate = async () => (await tuner.until(await tuner.dispatch(), 'done')).result
  const send = async (path: string, body: object) => {
    const { body: sent } = await service.call<{ id: string }>('POST', path, { token, body })
    return sent.id
  }
  const recall = (report: string) => send('/api/op/recalls', { report, reason: REASON })
  const first = await calibrate()
  const none = { qpu: null, reports: [], warnings: [] }
  expect(await seen()).toEqual(none)

  const id = await recall(first)
  const mark = { report: first, recall: id, reason: REASON, at: expect.any(String) }
  const warning = {
    ...{ path: 'qpu_target', code: 'calibration_recalled' },
    message: expect.stringContaining(`of kelvin (report ${first}) is recalled: ${REASON}. `),
  }
  expect(await seen()).toEqual({ qpu: mark, reports: [first], warnings: [warning] })
  const guest = await service.call<Record<string, unknown>>('GET', '/api/qpus/kelvin', {})
  expect(guest.body['recalled_calibration']).toEqual({ ...mark, reason: '' })
  const made = await service.call<{ id: string; warnings: unknown[] }>('POST', '/api/jobs', {
    token: user.token,
    body: { circuit: BELL },
  })
  expect([made.status, made.body.warnings]).toEqual([201, [warning]])
  expect((await commandLine('qpus')).out).toContain(' (recalled)')
  for (const args of [['qpus'], ['submit', '--check', '-'], ['submit', '-']])
    expect((await commandLine(...args)).err).toContain(REASON)
  // It says the truth: the result of that job is recalled.
  await untilJob(service, user.token, made.body.id)
  expect(await readJob(service, user.token, made.body.id)).toMatchObject({ recalled: { recall: id } })

  await send(`/api/op/recalls/${id}/undo`, { reason: 'it was on' })
  expect(await seen()).toEqual(none)
  expect((await commandLine('qpus')).out).not.toContain('recalled')

  await recall(first)
  expect((await seen()).warnings).toHaveLength(1)
  await until('all jobs to end', async () => {
    const { body } = await service.call<unknown[]>('GET', '/api/jobs?status=pending,running', {
      token: user.token,
    })
    return body.length === 0
  })
  const second = await calibrate()
  expect(await seen()).toEqual({ ...none, reports: [first] })
  expect((await untilJob(service, user.token, await submit(service, user.token))).status).toBe('completed')

  // A report that is deleted as wrong is not in force any more: the one before is, which is recalled.
  await service.call('DELETE', `${REPORTS}/${second}`, { token })
  expect((await seen()).qpu).toMatchObject({ report: first })
})
