import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { ghz } from '../stage/programs.ts'
import type { Stage } from '../stage/stage.ts'

type Body = Record<string, string>

type Call = (method: string, path: string, token: string, body?: object) => Promise<Body>

function callerOf({ service }: Stage): Call {
  return async (method, path, token, body) => {
    const response = await service.call<Body>(method, path, { token, body })
    if (response.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
}

/** Changes, before the server is killed, of what is in no event stream: pages see them when they catch up. */
export async function makeUnseenChanges(stage: Stage): Promise<void> {
  const call = callerOf(stage)
  const { service, superuser, others } = stage
  const { id = '', token = '' } = others[0] ?? {}
  await call('PATCH', `/api/collections/users/records/${id}`, superuser.token, { username: 'renamed' })
  const { body: tokens } = await service.call<Body[]>('GET', '/api/tokens', { token })
  await call('PATCH', `/api/tokens/${tokens[0]?.['id']}`, token, { name: 'display at the door' })
  await call('POST', '/api/webhooks', token, {
    ...{ url: 'https://127.0.0.1:9/hooks/recovered', description: '', kinds: ['job.ended'] },
  })
}

/** Changes something on every other page, so that one that did not catch up is recognized. */
export async function makeChanges(stage: Stage): Promise<void> {
  const call = callerOf(stage)
  const { service, superuser, user, qpus } = stage
  const asAdmin = (method: string, path: string, body: object) => call(method, path, superuser.token, body)
  const records = (name: string) => `/api/collections/${name}/records`
  /** Changes the record that a filter finds. */
  const replace = async (name: string, filter: string, body: object) => {
    const [found] = await list(`${records(name)}?${new URLSearchParams({ filter })}`, superuser.token)
    await asAdmin('PATCH', `${records(name)}/${found?.['id']}`, body)
  }
  const list = async (path: string, token: string): Promise<Body[]> =>
    (await service.call<{ items: Body[] }>('GET', path, { token })).body.items

  await call('POST', `/api/jobs/${stage.jobs.waiting}/cancel`, user.token)
  const reason = 'Calibrating the readout'
  await asAdmin('POST', '/api/op/qpu/maintenance', { id: qpus.halcyon, maintenance: true, reason })
  await replace('notifications', 'title="New queue policy"', { title: 'Power cut over' })
  await replace('qpu_time_requests', 'requested_reason~"two more sweeps"', {
    requested_reason: 'A chapter for my thesis',
  })
  await replace('thresholds', 'name="Mixing chamber warm"', { name: 'Still too warm' })
  await asAdmin('PATCH', `${records('calibration_requests')}/${stage.calibration.running}`, {
    ...{ status: 'failed', error: 'wrong chip' },
  })
  const slots = await list(
    `${records('time_slots')}?filter=${encodeURIComponent('end_time > @now')}`,
    user.token,
  )
  for (const { id } of slots) await call('DELETE', `/api/bookings/${id}`, user.token)
  const driver = { name: 'late_monitor', qpu: 'fermi_12', operation: 'monitor', device: 'cryostat_gen1' }
  await asAdmin('POST', '/api/op/drivers/create', driver)
  await asAdmin('POST', '/api/op/drivers/toggle', { id: stage.monitor, enabled: false })
  await asAdmin('POST', '/api/op/backups', {})
  await service.untilOnline('kelvin_25')
  const job = await submit(service, user.token, { qpu_target: qpus.kelvin, circuits: [{ circuit: ghz(2) }] })
  await untilJob(service, user.token, job)
}
