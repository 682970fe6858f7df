import { Journal, type Losses } from '../executable/journal.ts'
import { Service } from '../executable/service.ts'
import { until } from '../until.ts'
import { openBadCable, type Quality } from './bad-cable.ts'

/** The effects of a bad network; every count of `Losses` must be 0. */
export interface NetworkReport extends Losses {
  submitted: number
  completed: number
  /** Packets. */
  carried: number
  lost_packets: number
  repeated: number
  /** Number of reconnects of the driver. */
  connects: number
  doctor: string
}

interface NetworkOptions {
  folder: string
  seconds: number
  quality: Quality
  clients?: number
  report?: (line: string) => void
}

const BACKLOG = 20

/**
 * Runs a server at the other end of a bad network; clients and the driver of its QPU are at this end. Clients
 * keep a journal of every response; in the end everything they were promised must have happened exactly once.
 */
export async function networkFaults(options: NetworkOptions): Promise<NetworkReport> {
  const { folder, seconds, quality, clients = 2, report = () => undefined } = options
  await using machine = await openBadCable(quality)
  await using service = await Service.install(folder, {
    ip: machine.there,
    prefix: machine.prefix,
    flags: ['--max-attempts', '0'],
  })
  await service.start()
  const qpu = await service.createQpu('target')
  const user = await service.createUser(1_000_000)
  const driver = service.startDriver('target', qpu, 'mock', ['latency=0.005'])
  const journal = new Journal()
  const counts = () => journal.compare(folder)
  const end = performance.now() + seconds * 1_000
  async function client(number: number): Promise<void> {
    for (let n = 0; performance.now() < end; n += 1) {
      await journal.submit(service, user.token, `client-${number}-${n}`)
      const isShort = () => performance.now() >= end || journal.size <= counts().completed + BACKLOG
      await until('the backlog to shrink', isShort, { timeoutMs: 120_000, intervalMs: 100 })
    }
  }
  const done = Promise.all(Array.from({ length: clients }, (_, n) => client(n)))
  const MINUTE = 60_000
  for (let next = performance.now() + MINUTE; next < end; next += MINUTE) {
    await Bun.sleep(next - performance.now())
    report(`${Math.round((end - next) / 1_000)} s to go, ${counts().completed} jobs completed`)
  }
  await done
  await until('every job to end', async () => counts().completed === journal.size, {
    timeoutMs: 120_000,
    intervalMs: 100,
  })
  driver.kill('SIGTERM')
  await driver.exited
  await service.stop()
  const checked = await service.doctor()
  const { carried, lost, duplicated } = await machine.close()
  return {
    ...counts(),
    carried,
    lost_packets: lost,
    repeated: duplicated,
    connects: service.log.split('"driver attached"').length - 1,
    doctor: checked.status === 0 ? 'clean' : checked.out + checked.err,
  }
}
