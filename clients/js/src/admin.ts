import type * as wire from './generated/wire.gen.ts'
import { randomKey } from './random-key.ts'
import type { Transport } from './transport.ts'

/** What superusers do: QPUs, drivers, the queue, calibrations and balances. */
export class Admin {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Registers a QPU with its process driver; the access token is in this response only. */
  createQpu(body: wire.PostOpQpusCreateBody): Promise<wire.QpuRegistration> {
    return this.#post('qpus/create', body)
  }

  /** Enables or disables a QPU. */
  toggleQpu(body: wire.PostOpQpuToggleBody): Promise<wire.QpuSwitch> {
    return this.#post('qpu/toggle', body)
  }

  /** Deletes a QPU. */
  deleteQpu(body: wire.PostOpQpuDeleteBody): Promise<wire.QpuContents> {
    return this.#post('qpu/delete', body)
  }

  /** Starts or ends maintenance: jobs wait meanwhile. */
  setMaintenance(body: wire.PostOpQpuMaintenanceBody): Promise<wire.Qpu> {
    return this.#post('qpu/maintenance', body)
  }

  /** Lets a QPU take no further job, or take jobs again. */
  drain(body: wire.PostOpQpuDrainBody): Promise<wire.DrainedQpu> {
    return this.#post('qpu/drain', body)
  }

  /** Registers a driver; the access token is in this response only. */
  createDriver(body: wire.PostOpDriversCreateBody): Promise<wire.DriverRegistration> {
    return this.#post('drivers/create', body)
  }

  /** Enables or disables a driver. */
  toggleDriver(body: wire.PostOpDriversToggleBody): Promise<wire.DriverSwitch> {
    return this.#post('drivers/toggle', body)
  }

  /** Queues a calibration; the same key queues it once. */
  calibrate(
    body: wire.PostOpCalibrateDispatchBody,
    idempotencyKey: string = randomKey(),
  ): Promise<wire.CalibrationRequest> {
    const headers = { 'Idempotency-Key': idempotencyKey }
    const path = '/api/op/calibrate/dispatch'
    return this.#transport.request('POST', path, { body, headers, isRepeatable: true })
  }

  /** Continues a calibration that was stopped or failed, without its finished steps. */
  resumeCalibration(request: string, idempotencyKey?: string): Promise<wire.CalibrationRequest> {
    return this.calibrate({ resume: request }, idempotencyKey)
  }

  /** Keeps a pending job from running. */
  hold(job: string, reason = ''): Promise<wire.Job> {
    return this.#ofJob(job, 'hold', { reason })
  }

  /** Ends a hold. */
  release(job: string, reason = ''): Promise<wire.Job> {
    return this.#ofJob(job, 'release', { reason })
  }

  /** Lets a pending job run before all others. */
  runNext(job: string, reason = ''): Promise<wire.Job> {
    return this.#ofJob(job, 'run-next', { reason })
  }

  /** Queues a job again. */
  requeue(job: string, body: wire.PostOpJobsByIdRequeueBody = {}): Promise<wire.Job> {
    return this.#ofJob(job, 'requeue', body)
  }

  /** Moves a pending job to another QPU. */
  move(job: string, body: wire.PostOpJobsByIdMoveBody): Promise<wire.Job> {
    return this.#ofJob(job, 'move', body)
  }

  /** Sets the balance of a user in QPU seconds. */
  setBalance(user: string, qpuSeconds: number): Promise<wire.User> {
    const path = `/api/admin/users/${encodeURIComponent(user)}`
    return this.#transport.request('PATCH', path, { body: { qpu_seconds: qpuSeconds }, isRepeatable: true })
  }

  #post<T>(name: string, body: object): Promise<T> {
    return this.#transport.request('POST', `/api/op/${name}`, { body })
  }

  #ofJob(job: string, action: string, body: object): Promise<wire.Job> {
    return this.#post(`jobs/${encodeURIComponent(job)}/${action}`, body)
  }
}
