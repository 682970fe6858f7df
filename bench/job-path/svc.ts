import { Service } from '../../tests/support/executable/service.ts'
import { until } from '../../tests/support/until.ts'
import { Listener } from '../support/listener.ts'
import { postJob } from '../support/post-job.ts'
import { type Contestant, fillBy, type StartContestant } from './contestant.ts'

/** A built executable with one `mock` driver of two processes for each of `width` QPUs. */
export function svc(executable: string): StartContestant {
  return async (folder, width) => {
    const service = await Service.install(folder, { executable })
    await service.start()
    const { token } = await service.createUser(1_000_000)
    const names = Array.from({ length: width }, (_, at) => `qpu_${at}`)
    const drivers: Bun.Subprocess[] = []
    for (const name of names) drivers.push(service.startDriver(name, await service.createQpu(name)))
    for (const name of names) await service.untilOnline(name)
    return new Svc(service, { token, names, drivers })
  }
}

interface Lab {
  token: string
  names: readonly string[]
  drivers: readonly Bun.Subprocess[]
}

class Svc implements Contestant {
  readonly #service: Service
  readonly #lab: Lab
  readonly #ids: string[] = []
  #listener: Listener | undefined

  constructor(service: Service, lab: Lab) {
    this.#service = service
    this.#lab = lab
  }

  get server(): readonly number[] {
    return [this.#service.pid ?? 0]
  }

  get workers(): readonly number[] {
    return this.#lab.drivers.map(({ pid }) => pid)
  }

  async fill(count: number): Promise<void> {
    await this.#drain(true)
    await fillBy(count, async () => this.#ids.push((await this.#submit()).id))
  }

  async drain(): Promise<() => Promise<number>> {
    await this.#drain(false)
    const path = '/api/jobs?status=pending,running&limit=1&fields=id'
    const isOver = async () => (await this.#read<unknown[]>(path)).length === 0
    await until('the queue to be empty', isOver, { timeoutMs: 600_000, intervalMs: 100 })
    const ids = this.#ids.splice(0)
    return async () => {
      const times = await Promise.all(ids.map((id) => this.#finishedAt(id)))
      return (ids.length - 1) / ((Math.max(...times) - Math.min(...times)) / 1_000)
    }
  }

  async runOne(): Promise<number> {
    this.#listener ??= await Listener.open(this.#service.url, this.#lab.token)
    const begun = performance.now()
    const { id } = await this.#submit()
    return (await this.#listener.completed(id)) - begun
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener?.close()
    for (const driver of this.#lab.drivers) driver.kill()
    await Promise.all(this.#lab.drivers.map(({ exited }) => exited))
    await this.#service.stop()
  }

  #submit(): Promise<{ id: string }> {
    return postJob(this.#service.url, this.#lab.token)
  }

  async #drain(drain: boolean): Promise<void> {
    const token = await this.#service.admin()
    for (const name of this.#lab.names) {
      const { status } = await this.#service.call('POST', '/api/op/qpu/drain', {
        token,
        body: { name, drain },
      })
      if (status !== 200) throw new Error(`draining ${name} returned ${status}`)
    }
  }

  async #finishedAt(id: string): Promise<number> {
    return Date.parse((await this.#read<{ finished_at: string }>(`/api/jobs/${id}`)).finished_at)
  }

  async #read<T>(path: string): Promise<T> {
    const { status, body } = await this.#service.call<T>('GET', path, { token: this.#lab.token })
    if (status !== 200) throw new Error(`${path} returned ${status}`)
    return body
  }
}
