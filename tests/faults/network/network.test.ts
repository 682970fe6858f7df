import { expect, setDefaultTimeout, test } from 'bun:test'
import { type Running, startSvc } from '../../support/executable/background-process.ts'
import { readJob, timesOf, untilJob } from '../../support/executable/job-calls.ts'
import { Journal } from '../../support/executable/journal.ts'
import { Service } from '../../support/executable/service.ts'
import { faultRuns } from '../../support/faults/fault-runs.ts'
import {
  type OtherMachine,
  openOtherMachine,
  whyNoNamespace,
} from '../../support/faults/network-namespace.ts'
import { skips } from '../../support/faults/prerequisites.ts'
import { finishRow } from '../../support/faults/settle-row.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

// F11: the network between a driver and the server fails without notice. Both ways:
// black-box/network.test.ts.
const RUNS = faultRuns(1)
setDefaultTimeout(RUNS * 90_000)

const isSkipped = skips('faults of the network', await whyNoNamespace())
const SILENCE_MS = 15_000
const PING_MS = 5_000
/** A busy machine is late now and then. */
const MARGIN_MS = 3_000

/** A server that is reached under `ip`, and a journal of the responses to its user. */
class NetworkLab implements AsyncDisposable {
  readonly #journal = new Journal()
  readonly service: Service
  readonly #user: { token: string }

  private constructor(service: Service, user: { token: string }) {
    this.service = service
    this.#user = user
  }

  static async open(folder: string, ip: string): Promise<NetworkLab> {
    const service = await Service.install(folder, { ip, flags: ['--job-timeout', '60s'] })
    await service.start()
    return new NetworkLab(service, await service.createUser(1_000_000))
  }

  /** Registers a QPU. Returns a function that starts its driver, here or on another machine. */
  async addQpu(name: string): Promise<(machine?: OtherMachine) => Promise<Running>> {
    const { service } = this
    const qpu = await service.createQpu(name)
    const args = service.driverArgs(name, qpu.fingerprint, 'mock', ['pragmas=true'])
    return async (machine) => {
      const prefix = machine?.prefix ?? []
      const driver = startSvc(args, { cwd: service.folder, env: { SVC_ACCESS_TOKEN: qpu.token }, prefix })
      await driver.untilLogged('"message":"connected"')
      return driver
    }
  }

  /** Submits a job of some seconds for a QPU and waits until it runs. */
  async begin(qpu: string, seconds: number): Promise<string> {
    const comment = `// svc-mock: latency=${seconds}`
    const id = await this.#journal.submit(this.service, this.#user.token, `on-${qpu}`, comment, qpu)
    await until('the start', async () => timesOf(await this.look(id), 'started') === 1)
    return id
  }

  look(id: string) {
    return readJob(this.service, this.#user.token, id)
  }

  completed(id: string) {
    return untilJob(this.service, this.#user.token, id, ['completed'], 30_000)
  }

  async isOnline(qpu: string): Promise<boolean> {
    return (await this.service.call<{ status: string }>('GET', `/api/qpus/${qpu}`)).body.status === 'online'
  }

  /** Closes a row. */
  async close(row: string): Promise<void> {
    await finishRow(`F11 ${row}`, { runs: RUNS, journal: this.#journal, service: this.service })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
  }
}

test.skipIf(isSkipped)(
  'a network that is cut in one direction is noticed within 15 s by the end without packets, and the result counts once',
  async () => {
    using folder = temporaryFolder()
    await using first = await openOtherMachine()
    await using second = await openOtherMachine({ here: first.here })
    await using lab = await NetworkLab.open(folder.path, first.here)
    const cuts = [
      // The way of results is cut.
      { direction: 'here', machine: first, withinMs: SILENCE_MS, meanwhile: 'running' },
      // Packets of the driver arrive until its first byte that is not confirmed: its next ping.
      { direction: 'there', machine: second, withinMs: SILENCE_MS + PING_MS, meanwhile: 'completed' },
    ] as const
    const cutOnce = async (
      run: number,
      { direction, machine, withinMs, meanwhile }: (typeof cuts)[number],
    ) => {
      const qpu = `cut_${direction}_${run}`
      const startDriver = await lab.addQpu(qpu)
      await using driver = await startDriver(machine)
      const id = await lab.begin(qpu, 2)
      await machine.cut(direction)
      await until(`${qpu} to be offline`, async () => !(await lab.isOnline(qpu)), {
        timeoutMs: withinMs + MARGIN_MS,
      })
      expect((await lab.look(id)).status).toBe(meanwhile)
      await machine.mend()
      expect((await lab.completed(id)).attempt).toBe(1)
      driver.process.kill('SIGTERM')
      expect((await driver.ended()).status).toBe(0)
    }
    for (let run = 0; run < RUNS; run += 1) await Promise.all(cuts.map((each) => cutOnce(run, each)))
    await lab.close('one way')
  },
)

test.skipIf(isSkipped)(
  'a driver whose machine is lost takes over from itself elsewhere, as soon as the old process has been silent',
  async () => {
    using folder = temporaryFolder()
    await using machine = await openOtherMachine()
    await using lab = await NetworkLab.open(folder.path, machine.here)
    for (let run = 0; run < RUNS; run += 1) {
      const qpu = `gone_${run}`
      const startDriver = await lab.addQpu(qpu)
      const gone = await startDriver(machine)
      const id = await lab.begin(qpu, 3)
      await machine.cut()
      await gone[Symbol.asyncDispose]()
      // For the server the connection is still there.
      expect(await lab.isOnline(qpu)).toBe(true)
      const started = performance.now()
      await using _driver = await startDriver()
      expect(performance.now() - started).toBeLessThan(SILENCE_MS + 5_000)
      // It does not have the job of its former process, which returns to the queue and is dispatched to it
      // again.
      const job = await lab.completed(id)
      expect([job.attempt, timesOf(job, 'lost')]).toEqual([2, 1])
      await machine.mend()
    }
    await lab.close('half open')
  },
)
