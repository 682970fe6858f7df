/**
 * Time from the start of a process of the built executable until it is ready: `bun bench/start-up.ts
 * [--rounds 5]`. The server is measured at its first start in a folder (creates CA and certificate), at a
 * later start, and with 10,000 stored jobs, each until the first healthy response over HTTP (polled every 2
 * to 20 ms). The driver is measured until the server reports it online.
 *
 * Reference in the same run: a Hono application with one route under Bun, until its first response.
 */

import { Service } from '../tests/support/executable/service.ts'
import { temporaryFolder } from '../tests/support/temporary-folder.ts'
import { BareRoute } from './reference/route.ts'
import { spreadOf } from './support/figures.ts'
import { Lab } from './support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from './support/output.ts'

const STORED = 10_000

const { rounds } = startBench('Start-up')

async function startBare(): Promise<number> {
  await using route = await BareRoute.start()
  return route.startMs
}

async function startFirst(): Promise<number> {
  using folder = temporaryFolder()
  const service = await Service.install(folder.path)
  const ms = await service.start()
  await service.stop()
  return ms
}

async function startAgain({ service }: Lab): Promise<number> {
  await service.stop()
  return service.start()
}

const found: Record<string, number[]> = {}
const note = (name: string, value: number) => {
  found[name] = [...(found[name] ?? []), value]
}
{
  await using fresh = await Lab.open()
  await using full = await Lab.open()
  await full.submitMany(STORED, 16)
  for (let round = 0; round < rounds; round++) {
    note('reference: bare Hono application', await startBare())
    note('server, first start (creates CA and certificate)', await startFirst())
    note('server, later start', await startAgain(fresh))
    note(`server, with ${STORED} jobs stored`, await startAgain(full))
    note('driver, to online', await fresh.startDriver())
    await fresh.stopDriver()
  }
}
printTable(
  ['ms', ...SPREAD_HEAD],
  Object.entries(found).map(([name, values]) => [name, ...spreadCells(spreadOf(values))]),
)
