import * as v from 'valibot'
import { SvcError } from '../../../clients/js/src/index.ts'
import { Transport } from '../../../clients/js/src/transport.ts'
import { AppError, MINUTE_MS, systemClock } from '../../base/index.ts'
import type { Operation } from '../../protocol/index.ts'

const POLL_MS = 50
const ONLINE_TIMEOUT_MS = 30_000
const RESULT_TIMEOUT_MS = MINUTE_MS
const READINGS_TIMEOUT_MS = 30_000

const loginResponse = v.object({ token: v.string() })
const driverResponse = v.object({ id: v.string(), token: v.string(), ca_fingerprint: v.string() })
const qpuResponse = v.object({ access_token: v.string(), ca_fingerprint: v.string() })
const qpuStatus = v.object({ status: v.string() })
const jobResponse = v.object({
  id: v.string(),
  status: v.string(),
  duration: v.number(),
  results: v.nullish(
    v.object({ counts: v.optional(v.record(v.string(), v.number())), error: v.optional(v.string()) }),
  ),
})
const readings = v.record(v.string(), v.object({ value: v.nullable(v.number()), unit: v.string() }))
const eventsResponse = v.object({
  items: v.array(v.object({ ts: v.string(), payload: v.object({ readings }) })),
})
const tokenResponse = v.object({ token: v.string() })

/** An HTTP client without privileges: the demo uses the public API only. */
export class DemoClient {
  readonly #transport: Transport

  private constructor(baseUrl: string, apiToken: string) {
    this.#transport = new Transport({ baseUrl, apiToken })
  }

  static async login(
    url: string,
    collection: 'users' | '_superusers',
    account: { email: string; password: string },
  ): Promise<DemoClient> {
    const { token } = await new DemoClient(url, '').call(
      loginResponse,
      'POST',
      `/api/collections/${collection}/auth-with-password`,
      { identity: account.email, password: account.password },
    )
    return new DemoClient(url, token)
  }

  async registerQpu(name: string, device: string): Promise<{ token: string; fingerprint: string }> {
    const body = { name, executor_type: device }
    const qpu = await this.call(qpuResponse, 'POST', '/api/op/qpus/create', body)
    return { token: qpu.access_token, fingerprint: qpu.ca_fingerprint }
  }

  /** Waits until the QPU's driver is attached. @throws AppError when the driver ends or takes too long. */
  async untilOnline(name: string, driver: Bun.Subprocess): Promise<void> {
    for (let waited = 0; waited < ONLINE_TIMEOUT_MS; waited += POLL_MS) {
      const { status } = await this.call(qpuStatus, 'GET', `/api/qpus/${name}`)
      if (status === 'online') return
      if (driver.exitCode !== null) throw new AppError('internal', 'The driver ended; its message is above')
      await systemClock.sleep(POLL_MS)
    }
    throw new AppError('internal', `The driver did not connect within ${ONLINE_TIMEOUT_MS / 1000} s`)
  }

  async registerDriver(driver: {
    name: string
    qpu: string
    operation: Operation
    device: string
  }): Promise<{ id: string; token: string; fingerprint: string }> {
    const created = await this.call(driverResponse, 'POST', '/api/op/drivers/create', driver)
    return { id: created.id, token: created.token, fingerprint: created.ca_fingerprint }
  }

  /**
   * The first `count` cryostat readings that the server has stored. @throws AppError when `driver` sends too
   * few.
   */
  async storedReadings(count: number, driver: Bun.Subprocess) {
    const query = new URLSearchParams({
      filter: "type = 'CryostatReading'",
      sort: 'ts',
      perPage: String(count),
    })
    for (let waited = 0; waited < READINGS_TIMEOUT_MS; waited += POLL_MS) {
      const { items } = await this.call(eventsResponse, 'GET', `/api/collections/events/records?${query}`)
      if (items.length === count) return items.map(({ ts, payload }) => ({ ts, ...payload }))
      if (driver.exitCode !== null) throw new AppError('internal', 'The driver ended; its message is above')
      await systemClock.sleep(POLL_MS)
    }
    throw new AppError(
      'internal',
      `The server has no ${count} readings after ${READINGS_TIMEOUT_MS / 1000} s`,
    )
  }

  async createUser(user: { email: string; password: string; qpu_seconds: number }): Promise<void> {
    await this.call(v.unknown(), 'POST', '/api/collections/users/records', {
      ...user,
      passwordConfirm: user.password,
    })
  }

  /** Submits a job and waits for its end. @throws AppError with the device's message when it fails. */
  async runJob(job: object) {
    const { id } = await this.call(v.object({ id: v.string() }), 'POST', '/api/jobs', job)
    for (let waited = 0; waited < RESULT_TIMEOUT_MS; waited += POLL_MS) {
      const { status, duration, results } = await this.call(jobResponse, 'GET', `/api/jobs/${id}`)
      if (status === 'completed') return { id, status, duration, counts: results?.counts ?? {} }
      if (status === 'failed' || status === 'cancelled') {
        throw new AppError('internal', `Job ${id} ${status}: ${results?.error ?? 'no reason given'}`)
      }
      await systemClock.sleep(POLL_MS)
    }
    throw new AppError('internal', `Job ${id} did not finish within ${RESULT_TIMEOUT_MS / 1000} s`)
  }

  async createToken(name: string): Promise<string> {
    return (await this.call(tokenResponse, 'POST', '/api/tokens', { name })).token
  }

  /**
   * One request; its response is checked by a schema. @throws AppError with the message of a refusal and
   * those of its fields.
   */
  async call<Schema extends v.GenericSchema>(
    schema: Schema,
    method: string,
    path: string,
    body?: object,
  ): Promise<v.InferOutput<Schema>> {
    try {
      return v.parse(schema, await this.#transport.request(method, path, { body }))
    } catch (error) {
      if (!(error instanceof SvcError)) throw error
      const reasons = [error.message, ...Object.values(error.fields).map(({ message }) => message)].join(' ')
      throw new AppError('internal', `${method} ${path} returned ${error.status}: ${reasons}`)
    }
  }
}
