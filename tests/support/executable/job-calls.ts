import { until } from '../until.ts'
import { BELL, type Service } from './service.ts'

/** The fields of a job, as its owner reads it, that tests check. */
export interface JobSeen {
  id: string
  status: 'pending' | 'running' | 'completed' | 'failed' | 'cancelled'
  attempt: number
  name: string
  tags: string[]
  qpu: string
  qpu_target: string
  attempts: { attempt: number; qpu: string; state: string }[]
  duration: number
  error: { code: string; message: string } | null
  results: {
    counts?: Record<string, number>
    circuit_results: {
      counts: Record<string, number>
      shots: number
      header: { name: string; memory_slots: number; metadata: object }
      metadata: Record<string, unknown>
    }[]
    metadata: Record<string, unknown>
  } | null
  charged_seconds: number | null
  timeline: { event: string; attempt: number; at: string }[]
  waiting?: { code: string; text: string }
  queue_position?: number
  estimated_start?: object | null
}

/** The fields of a submission that are not the default: a Bell pair with 100 shots. */
export type JobBody = Record<string, unknown>

/** Submits a job that has to be accepted. Returns its id. */
export async function submit(service: Service, token: string, body: JobBody = {}): Promise<string> {
  const job = { circuits: [{ circuit: BELL }], shots: 100, ...body }
  const response = await service.call<JobSeen>('POST', '/api/jobs', { token, body: job })
  if (response.status !== 201)
    throw new Error(`refused (${response.status}): ${JSON.stringify(response.body)}`)
  return response.body.id
}

/** One job as it is now. */
export async function readJob(service: Service, token: string, id: string): Promise<JobSeen> {
  const response = await service.call<JobSeen>('GET', `/api/jobs/${id}`, { token })
  if (response.status !== 200)
    throw new Error(`no job (${response.status}): ${JSON.stringify(response.body)}`)
  return response.body
}

/** Waits until a job has one of the given states. */
export function untilJob(
  service: Service,
  token: string,
  id: string,
  states: readonly JobSeen['status'][] = ['completed', 'failed', 'cancelled'],
  ms = 45_000,
): Promise<JobSeen> {
  return until(
    `job ${id} to be ${states.join(' or ')}`,
    async () => {
      const job = await readJob(service, token, id)
      return states.includes(job.status) && job
    },
    { timeoutMs: ms },
  )
}

/** Waits until the device of a driver has begun to run a job. */
export function untilStarted(service: Service, token: string, id: string): Promise<JobSeen> {
  return until(`job ${id} to be started by its device`, async () => {
    const job = await readJob(service, token, id)
    return timesOf(job, 'started') > 0 && job
  })
}

/** How often something happened to a job. */
export function timesOf(job: JobSeen, event: string): number {
  return job.timeline.filter((each) => each.event === event).length
}

/** QPU seconds that are left to a user. */
export async function balanceOf(service: Service, user: { id: string; token: string }): Promise<number> {
  const path = `/api/collections/users/records/${user.id}`
  const response = await service.call<{ qpu_seconds: number }>('GET', path, { token: user.token })
  return response.body.qpu_seconds
}
