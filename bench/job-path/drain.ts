/**
 * What a job costs when the queue is full: `bun bench/job-path/drain.ts [EXECUTABLE…] [--qpus 1,16]
 * [--jobs 1500] [--warm 500] [--rounds 5]`. Without executables, the one of this folder; several take turns
 * in each round, so that other load on the machine affects all.
 *
 * Server and `mock` drivers have run `--warm` jobs on every QPU before. The queue fills while all QPUs are
 * drained. Rates count from the end of the first job to the end of the last. Processor time is that of all
 * threads, and of the driver's two processes; bytes are those that the server gave to the disk.
 */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Service, SVC } from '../../tests/support/executable/service.ts'
import { temporaryFolder } from '../../tests/support/temporary-folder.ts'
import { until } from '../../tests/support/until.ts'
import { percentile } from '../support/figures.ts'
import { printHead, printRow, startBench } from '../support/output.ts'
import { postJob } from '../support/post-job.ts'
import { usedMs } from '../support/processor-time.ts'

/** Clients that submit at the same time. */
const WIDTH = 16

interface Cost {
  /** Jobs per second. */
  rate: number
  /** Processor time per job, in ms. */
  server: number
  drivers: number
  /** KB per job that the server wrote. */
  written: number
}

const executables = process.argv
  .slice(2)
  .filter((word, at, words) => !`${words[at - 1]}${word}`.includes('--'))
process.argv = process.argv.filter((word) => !executables.includes(word))
const flags = { qpus: '1,16', jobs: '1500', warm: '500' }
const { rounds, qpus, jobs, warm } = startBench('A full queue', flags)

/** Jobs that end while the queue is full, and what they cost. */
async function measure(executable: string, width: number): Promise<Cost> {
  using folder = temporaryFolder()
  await using service = await Service.install(folder.path, { executable })
  await service.start()
  const { token } = await service.createUser(1_000_000)
  const names = Array.from({ length: width }, (_, at) => `qpu_${at}`)
  const drivers: Bun.Subprocess[] = []
  try {
    for (const name of names) drivers.push(service.startDriver(name, await service.createQpu(name)))
    for (const name of names) await service.untilOnline(name)
    await drain(service, names, token, Number(warm) * width)
    const pids = drivers.map(({ pid }) => pid)
    const used = () => ({
      server: usedMs(service.pid ?? 0),
      drivers: pids.reduce((sum, pid) => sum + usedMs(pid), 0),
      bytes: writtenBytes(service.pid ?? 0),
    })
    let before = used()
    const rate = await drain(service, names, token, Number(jobs), () => {
      before = used()
    })
    const after = used()
    return {
      rate,
      server: (after.server - before.server) / Number(jobs),
      drivers: (after.drivers - before.drivers) / Number(jobs),
      written: (after.bytes - before.bytes) / 1_000 / Number(jobs),
    }
  } finally {
    for (const driver of drivers) driver.kill()
    await Promise.all(drivers.map(({ exited }) => exited))
  }
}

/** Fills the queue with `count` jobs, lets them run, and returns how many ended per second. */
async function drain(
  service: Service,
  names: readonly string[],
  token: string,
  count: number,
  onFull = (): void => undefined,
): Promise<number> {
  const setDrained = (drained: boolean) => Promise.all(names.map((name) => setDrain(service, name, drained)))
  await setDrained(true)
  const ids: string[] = []
  let left = count
  const submit = async () => {
    for (; left > 0; ) {
      left -= 1
      ids.push((await postJob(service.url, token)).id)
    }
  }
  await Promise.all(Array.from({ length: WIDTH }, submit))
  onFull()
  await setDrained(false)
  const isOver = async () => {
    const path = '/api/jobs?status=pending,running&limit=1&fields=id'
    const { status, body } = await service.call<unknown[]>('GET', path, { token })
    if (status !== 200) throw new Error(`the list of jobs returned ${status}`)
    return body.length === 0
  }
  await until('the queue to be empty', isOver, { timeoutMs: 600_000, intervalMs: 100 })
  const times = await Promise.all(ids.map((id) => finishedAt(service, token, id)))
  return (count - 1) / ((Math.max(...times) - Math.min(...times)) / 1_000)
}

async function setDrain(service: Service, name: string, drained: boolean): Promise<void> {
  const body = { name, drain: drained }
  const { status } = await service.call('POST', '/api/op/qpu/drain', { token: await service.admin(), body })
  if (status !== 200) throw new Error(`draining ${name} returned ${status}`)
}

async function finishedAt(service: Service, token: string, id: string): Promise<number> {
  const { body } = await service.call<{ finished_at: string }>('GET', `/api/jobs/${id}`, { token })
  return Date.parse(body.finished_at)
}

function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1])
}

const compared = executables.length > 0 ? executables.map((path) => resolve(path)) : [SVC]
const columns: (keyof Cost)[] = ['rate', 'server', 'drivers', 'written']
printHead(['executable', 'QPUs', 'jobs/s', 'server, ms', 'drivers, ms', 'KB written'])
for (const width of qpus.split(',').map(Number)) {
  const seen = new Map<string, Cost[]>(compared.map((path) => [path, []]))
  for (let round = 0; round < rounds; round++) {
    for (const path of round % 2 ? compared : compared.toReversed()) {
      seen.get(path)?.push(await measure(path, width))
    }
  }
  for (const [path, costs] of seen) {
    const medians = columns.map((name) =>
      percentile(
        costs.map((cost) => cost[name]),
        0.5,
      ),
    )
    printRow([path.split('/').at(-1) ?? path, String(width), ...medians])
  }
}
