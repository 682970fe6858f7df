import { expect, setDefaultTimeout, test } from 'bun:test'
import { BELL, Service, temporaryFolder, until } from '../support/executable.ts'
import { look, submit, timesOf, untilJob } from '../support/job-calls.ts'
import { skips } from '../support/needs.ts'
import { type OtherMachine, openOtherMachine, whyNoNamespace } from '../support/network-namespace.ts'
import { startSvc } from '../support/running.ts'

// F11: the network between a driver and the server fails, and nobody is told. Both ways: black-box/network.test.ts.
setDefaultTimeout(90_000)

const isSkipped = skips('faults of the network', await whyNoNamespace())
const SILENCE_MS = 15_000
const PING_MS = 5_000
/** A busy machine is late now and then. */
const MARGIN_MS = 3_000

/** A server that is reached under `ip`, and a user. */
async function open(folder: string, ip: string) {
  const service = await Service.install(folder, { ip, flags: ['--job-timeout', '60s'] })
  await service.start()
  return { service, user: await service.createUser(1_000) }
}

/** A QPU and what starts its driver on a machine. */
async function addQpu(service: Service, name: string) {
  const qpu = await service.createQpu(name)
  const args = service.driverArgs(name, qpu.fingerprint, 'mock', ['pragmas=true'])
  return {
    name,
    start: async (machine?: OtherMachine) => {
      const driver = startSvc(args, {
        cwd: service.folder,
        env: { SVC_ACCESS_TOKEN: qpu.token },
        prefix: machine?.prefix ?? [],
      })
      await driver.says('"message":"connected"')
      return driver
    },
  }
}

/** A job that runs for some time on the QPU `name`, begun. */
async function begin({ service, user }: Awaited<ReturnType<typeof open>>, name: string, seconds: number) {
  const circuit = `// svc-mock: latency=${seconds}\n${BELL}`
  const id = await submit(service, user.token, { circuits: [{ circuit }], qpu_target: name })
  await until('the start', async () => timesOf(await look(service, user.token, id), 'started') === 1)
  return id
}

const statusOf = async (service: Service, name: string) =>
  (await service.call<{ status: string }>('GET', `/api/qpus/${name}`)).body.status

test.skipIf(isSkipped)(
  'a network that is cut in one direction is noticed within 15 s by who hears nothing, and the result counts once',
  async () => {
    using folder = temporaryFolder()
    await using first = await openOtherMachine()
    await using second = await openOtherMachine({ here: first.here })
    const lab = await open(folder.path, first.here)
    await using service = lab.service
    const cuts = [
      ['here', first, SILENCE_MS],
      // The driver is heard until it waits for the first byte that nobody confirms: its next ping.
      ['there', second, SILENCE_MS + PING_MS],
    ] as const
    await Promise.all(
      cuts.map(async ([direction, machine, withinMs]) => {
        const qpu = await addQpu(service, `cut_${direction}`)
        await using driver = await qpu.start(machine)
        const id = await begin(lab, qpu.name, 2)
        await machine.cut(direction)
        await until(
          `the QPU to be offline, cut ${direction}`,
          async () => (await statusOf(service, qpu.name)) === 'offline',
          withinMs + MARGIN_MS,
        )
        // The way of results is open in one case and not in the other.
        const meanwhile = direction === 'here' ? 'running' : 'completed'
        expect((await look(service, lab.user.token, id)).status).toBe(meanwhile)
        await machine.mend()
        const job = await untilJob(service, lab.user.token, id, ['completed'], 30_000)
        expect([job.attempt, timesOf(job, 'completed')]).toEqual([1, 1])
        driver.process.kill('SIGTERM')
        expect((await driver.ended()).status).toBe(0)
      }),
    )
    await service.stop()
    expect((await service.doctor()).out).toContain('no problems found')
  },
)

test.skipIf(isSkipped)(
  'a driver whose machine is gone takes over from itself at once, elsewhere, without waiting for the silence',
  async () => {
    using folder = temporaryFolder()
    await using machine = await openOtherMachine()
    const lab = await open(folder.path, machine.here)
    await using service = lab.service
    const qpu = await addQpu(service, 'kelvin')
    const lost = await qpu.start(machine)
    const id = await begin(lab, qpu.name, 60)
    await machine.cut()
    await lost[Symbol.asyncDispose]()
    // For the server the connection is still there.
    expect(await statusOf(service, qpu.name)).toBe('online')
    const started = performance.now()
    await using _driver = await qpu.start()
    expect(performance.now() - started).toBeLessThan(SILENCE_MS / 2)
    // It does not have the job of its former life, which goes back to the queue and to the driver again.
    await until('the second attempt', async () => (await look(service, lab.user.token, id)).attempt === 2)
    expect(timesOf(await look(service, lab.user.token, id), 'lost')).toBe(1)
  },
)
