import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../until.ts'
import { type Running, startSvc } from './background-process.ts'
import type { Service } from './service.ts'

const TUNER = `${join(import.meta.dir, '../devices/scripted-tuner.ts')}#scripted`

/** The fields of a request that tests check. */
export interface RequestSeen {
  id: string
  status: 'pending' | 'running' | 'done' | 'failed'
  progress: { step: number; total: number; plan?: unknown } | null
  error: string
  result: string
}

/** The fields of a report that tests check. */
export interface ReportSeen {
  id: string
  request: string
  status: string
  error: string
  routines: { fit: { trace: string } }[]
  notes: string[]
}

const REQUESTS = '/api/collections/calibration_requests/records'
const REPORTS = '/api/collections/calibration_results/records'

/** A scripted tuner of one QPU of a running service, and its requests. Its runs wait for `open`. */
export class TunerLab {
  readonly #service: Service
  readonly #args: string[]
  readonly #token: string
  readonly #gate: string
  readonly #executable: string | undefined
  /** Id of the driver. */
  readonly id: string

  private constructor(
    service: Service,
    id: string,
    {
      args,
      token,
      gate,
      executable,
    }: { args: string[]; token: string; gate: string; executable: string | undefined },
  ) {
    this.#service = service
    this.id = id
    this.#args = args
    this.#token = token
    this.#gate = gate
    this.#executable = executable
  }

  /** Registers a tuner, which `executable` runs if it is not the one under test. */
  static async register(
    service: Service,
    qpu: { id: string; fingerprint: string },
    options: string[] = [],
    executable?: string,
  ): Promise<TunerLab> {
    const made = await service.call<{ id: string; token: string }>('POST', '/api/op/drivers/create', {
      token: await service.admin(),
      body: { name: 'tuner', qpu: qpu.id, operation: 'calibrate' },
    })
    const gate = join(service.folder, 'gate')
    const given = [`gate=${gate}`, ...options]
    const args = service.driverArgs('tuner', qpu.fingerprint, TUNER, given, 'calibrate')
    return new TunerLab(service, made.body.id, { args, token: made.body.token, gate, executable })
  }

  start(): Running {
    const env = { SVC_ACCESS_TOKEN: this.#token }
    const executable = this.#executable === undefined ? {} : { executable: this.#executable }
    return startSvc(this.#args, { cwd: this.#service.folder, env, ...executable })
  }

  /** Lets runs end. */
  open(): void {
    writeFileSync(this.#gate, '')
  }

  /** Requests a calibration; returns its id. */
  async dispatch(body: object = { mode: 'full' }): Promise<string> {
    const response = await this.#service.call<RequestSeen>('POST', '/api/op/calibrate/dispatch', {
      token: await this.#service.admin(),
      body: { driver_id: this.id, ...body },
    })
    if (response.status !== 201) throw new Error(`refused: ${JSON.stringify(response.body)}`)
    return response.body.id
  }

  async request(id: string): Promise<RequestSeen> {
    const token = await this.#service.admin()
    return (await this.#service.call<RequestSeen>('GET', `${REQUESTS}/${id}`, { token })).body
  }

  /** Waits until a request is in this state. */
  until(id: string, status: RequestSeen['status']): Promise<RequestSeen> {
    return until(`calibration ${id} to be ${status}`, async () => {
      const request = await this.request(id)
      return request.status === status && request
    })
  }

  /** Waits until the tuner has reported a step of this request. */
  stepped(id: string): Promise<RequestSeen> {
    return until(`progress of ${id}`, async () => {
      const request = await this.request(id)
      return (request.progress?.step ?? 0) > 0 && request
    })
  }

  async giveUp(id: string): Promise<void> {
    const response = await this.#service.call('PATCH', `${REQUESTS}/${id}`, {
      token: await this.#service.admin(),
      body: { status: 'failed', error: 'wrong chip' },
    })
    if (response.status !== 200) throw new Error(JSON.stringify(response.body))
  }

  async report(id: string): Promise<ReportSeen> {
    const token = await this.#service.admin()
    return (await this.#service.call<ReportSeen>('GET', `${REPORTS}/${id}`, { token })).body
  }

  /** Ids of the requests of all reports, oldest first. */
  async reported(): Promise<string[]> {
    const path = `${REPORTS}?sort=created&fields=id,request`
    const token = await this.#service.admin()
    const page = await this.#service.call<{ items: ReportSeen[] }>('GET', path, { token })
    return page.body.items.map(({ request }) => request)
  }
}
