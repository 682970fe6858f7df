/**
 * Memory of the built executable when idle: the server after its start and after 3,000 jobs, and its driver
 * (two processes): `bun bench/memory.ts [--rounds 5]`. Linux only. RSS includes the pages of the executable
 * file that all its processes share; "private" is the memory that only this process uses.
 *
 * Reference in the same run: a Hono application with one route under Bun.
 */
import { readFile } from 'node:fs/promises'
import { BareRoute } from './reference/route.ts'
import { type Spread, spreadOf } from './support/figures.ts'
import { Lab } from './support/lab.ts'
import { printTable, spreadCells, startBench } from './support/output.ts'

const JOBS = 3_000
const IDLE_MS = 5_000

const { rounds } = startBench('Memory')

interface Memory {
  rss: number
  private: number
}

/** Memory of a process in MB. */
async function memoryOf(pid: number | undefined): Promise<Memory> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1])
  return {
    rss: kilobytes('Rss') / 1_000,
    private: (kilobytes('Private_Clean') + kilobytes('Private_Dirty')) / 1_000,
  }
}

/** The process id of the device process of a driver. */
async function childOf(pid: number | undefined): Promise<number> {
  return Number((await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ')[0])
}

const found = new Map<string, Memory[]>()
async function note(name: string, pid: number | undefined): Promise<void> {
  found.set(name, [...(found.get(name) ?? []), await memoryOf(pid)])
}

for (let round = 0; round < rounds; round++) {
  await using route = await BareRoute.start()
  await using lab = await Lab.open()
  const { service } = lab
  await lab.startDriver()
  await Bun.sleep(IDLE_MS)
  await note('reference: bare Hono application', route.pid)
  await note('server, after its start', service.pid)
  await note('driver, sockets and outbox', lab.driverPid)
  await note('driver, device process (mock)', await childOf(lab.driverPid))
  await lab.untilCompleted(await lab.submitMany(JOBS, 8))
  await Bun.sleep(IDLE_MS)
  await note(`server, after ${JOBS} jobs`, service.pid)
  await note(`driver, sockets and outbox, after ${JOBS} jobs`, lab.driverPid)
  await note(`driver, device process, after ${JOBS} jobs`, await childOf(lab.driverPid))
}
const spread = (name: string, part: keyof Memory): Spread =>
  spreadOf((found.get(name) ?? []).map((memory) => memory[part]))
printTable(
  ['MB', 'RSS min', 'median', 'max', 'private min', 'median', 'max'],
  [...found.keys()].map((name) => [
    name,
    ...spreadCells(spread(name, 'rss')),
    ...spreadCells(spread(name, 'private')),
  ]),
)
