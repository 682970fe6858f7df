import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { until } from '../../support/until.ts'
import { HOSTILE_DEVICES } from './hostile-devices.ts'
import { ALL, asWritten, CORPUS, hostile } from './hostile-texts.ts'
import { openStage, type Stage } from './stage.ts'

/** A laboratory in which every text that anybody can write is hostile. */
export interface HostileStage extends Stage {
  /** Fields that accepted no hostile text although they should. */
  refused: string[]
}

/** Texts of these lengths are tried, the longest first. */
const LENGTHS = [12_000, 2_000, 1_000, 500, 255, 200, 150, 100, 64]

/** Opens a laboratory, adds compromised drivers and writes hostile texts into every field. */
export async function openHostileStage(): Promise<HostileStage> {
  const stage = await openStage({ flags: ['--site-name', '<b data-harm>site</b>'] })
  const processes: Bun.Subprocess[] = []
  const close = async () => {
    for (const driver of processes) driver.kill('SIGKILL')
    await Promise.all(processes.map((driver) => driver.exited))
    await stage.close()
  }
  try {
    return { ...(await soil(stage, processes)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function soil(stage: Stage, processes: Bun.Subprocess[]): Promise<HostileStage> {
  const { service, user, superuser } = stage
  const refused: string[] = []
  const call = (method: string, path: string, token: string, body: object) =>
    service.call<Record<string, string>>(method, path, { token, body })
  const [third, fourth] = [stage.others[2]?.token ?? '', stage.others[3]?.token ?? '']
  const tokens = { user: user.token, superuser: superuser.token, third, fourth }
  /** Sends a body with the longest hostile text that its field accepts. */
  const write = async (
    who: keyof typeof tokens,
    method: string,
    path: string,
    body: (text: string) => object,
  ) => {
    const token = tokens[who]
    let last: object = {}
    for (const length of LENGTHS) {
      const { status, body: answer } = await call(method, path, token, body(hostile(length)))
      if (status < 300) return answer
      last = answer
    }
    refused.push(`${method} ${path}: ${JSON.stringify(last)}`)
    return {}
  }
  const records = (name: string) => `/api/collections/${name}/records`

  const qpu = await service.createQpu('evil_1')
  const drivers = await startDrivers(stage, processes, qpu)
  const program = `OPENQASM 3.0; // ${ALL}\nqubit q; bit c; c = measure q;`
  const job = (target: string, shots: number, more: object = {}) =>
    submit(service, user.token, { circuits: [{ circuit: program }], shots, qpu_target: target, ...more })
  const jobs = {
    ...stage.jobs,
    waiting: await job(stage.qpus.boreas, 8, {
      name: hostile(200),
      tags: [hostile(64), CORPUS[0]?.slice(0, 64)],
    }),
    bell: await job(qpu.id, 8, { name: CORPUS[1] }),
    failed: await job(qpu.id, 1),
  }
  await untilJob(service, user.token, jobs.bell)
  await untilJob(service, user.token, jobs.failed, ['failed'])
  const calibration = await calibrate(stage, drivers.tuner)

  await write('superuser', 'PATCH', `${records('qpus')}/${stage.qpus.kelvin}`, (text) => ({
    executor_type: text,
  }))
  await write('superuser', 'PATCH', `${records('qpus')}/${stage.qpus.kelvin}`, (text) => ({
    device_config: { text },
  }))
  const maintenance = { id: stage.qpus.halcyon, maintenance: true }
  await write('superuser', 'POST', '/api/op/qpu/maintenance', (reason) => ({ ...maintenance, reason }))
  const drain = { id: stage.qpus.noether, drain: true }
  await write('superuser', 'POST', '/api/op/qpu/drain', (reason) => ({ ...drain, reason }))
  await write('superuser', 'POST', `/api/op/jobs/${jobs.waiting}/hold`, (reason) => ({ reason }))
  // Markup, formulas and what nobody sees are refused in names of users.
  await write('superuser', 'PATCH', `${records('users')}/${user.id}`, (text) => ({
    username: text.replaceAll(/[<>\p{C}\p{Z}]/gu, '').replace(/^[=+@-]+/, ''),
  }))
  await write('superuser', 'POST', records('notifications'), (title) => ({
    title,
    description: asWritten(ALL),
  }))
  await write('superuser', 'POST', records('notifications'), (description) => ({
    title: CORPUS[3],
    description,
  }))
  const limit = { driver: drivers.monitor, kind: 'above', limit: 0 }
  const channel = hostile(100)
  await write('superuser', 'POST', records('thresholds'), (name) => ({ ...limit, channel, name }))
  await write('superuser', 'PATCH', `${records('drivers')}/${drivers.monitor}`, (device) => ({ device }))
  await write('user', 'POST', '/api/tokens', (name) => ({ name }))
  const webhook = { url: 'https://93.184.216.34/hook', kinds: ['job.ended'] }
  await write('user', 'POST', '/api/webhooks', (description) => ({ ...webhook, description }))
  const requests = records('qpu_time_requests')
  await write('third', 'POST', requests, (requested_reason) => ({ seconds: 5, requested_reason }))
  const { id: asked } = await write('fourth', 'POST', requests, (requested_reason) => ({
    seconds: 6,
    requested_reason,
  }))
  await write('superuser', 'PATCH', `${requests}/${asked}`, (text) => ({
    status: 'rejected',
    rejection_reason: text,
  }))
  await untilRead(stage, drivers.monitor)

  return { ...stage, jobs, monitor: drivers.monitor, tuner: drivers.tuner, calibration, refused }
}

/** Starts a process driver, a monitor and a tuner of one QPU with the hostile devices. */
async function startDrivers(
  stage: Stage,
  processes: Bun.Subprocess[],
  qpu: { id: string; token: string; fingerprint: string },
) {
  const { service, superuser } = stage
  writeFileSync(join(service.folder, 'evil.js'), HOSTILE_DEVICES)
  processes.push(service.startDriver('evil_1', qpu, './evil.js#evil'))
  const start = async (name: string, operation: string, device: string) => {
    const made = await service.call<{ id: string; token: string }>('POST', '/api/op/drivers/create', {
      token: superuser.token,
      body: { name, qpu: qpu.id, operation },
    })
    const args = service.driverArgs(name, qpu.fingerprint, `./evil.js#${device}`, [], operation)
    processes.push(
      Bun.spawn([service.executable, ...args], {
        cwd: service.folder,
        env: { PATH: process.env['PATH'] ?? '', HOME: service.folder, SVC_ACCESS_TOKEN: made.body.token },
        stdio: ['ignore', 'ignore', process.env['SVC_SHOW_DRIVERS'] ? 'inherit' : 'ignore'],
      }),
    )
    return made.body.id
  }
  const monitor = await start('evil_monitor', 'monitor', 'reader')
  const tuner = await start('evil_tuner', 'calibrate', 'tuner')
  await service.untilOnline('evil_1')
  return { monitor, tuner }
}

/** One calibration with a hostile report and one that fails with a hostile error. */
async function calibrate({ service, superuser }: Stage, tuner: string): Promise<Stage['calibration']> {
  const token = superuser.token
  const run = async (body: object) => {
    const made = await service.call<{ id: string }>('POST', '/api/op/calibrate/dispatch', {
      token,
      body: { driver_id: tuner, ...body },
    })
    const path = `/api/collections/calibration_requests/records/${made.body.id}`
    return until('a calibration to end', async () => {
      const { body: request } = await service.call<{ status: string; id: string; result: string }>(
        'GET',
        path,
        { token },
      )
      return (request.status === 'done' || request.status === 'failed') && request
    })
  }
  const failed = await run({ mode: 'fidelity_check' })
  const done = await run({ mode: 'full' })
  return { done: done.id, report: done.result, running: failed.id, past: [] }
}

async function untilRead({ service, user }: Stage, monitor: string): Promise<void> {
  const filter = encodeURIComponent(`driver="${monitor}"`)
  await until('a hostile reading', async () => {
    const path = `/api/collections/events/records?filter=${filter}`
    const { body } = await service.call<{ items: unknown[] }>('GET', path, { token: user.token })
    return body.items.length > 0
  })
}
