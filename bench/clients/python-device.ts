/**
 * What a device in Python costs: `bun bench/clients/python-device.ts [--rounds 5] [--jobs 10000]`. Jobs one
 * at a time on `mock` and on a device in Python that does nothing, alternating; then many jobs on the latter,
 * with the memory of its process. Exits with 1 if the p50 is more than 2 ms above that of `mock`, or the
 * process grows by more than 10 % from the first fifth of the jobs to the last.
 */
import { copyFileSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { SDK_FOLDER } from '../../tests/support/python/devices.ts'
import { percentile, spreadOf } from '../support/figures.ts'
import { measureJobs } from '../support/job-times.ts'
import { Lab } from '../support/lab.ts'
import { printTable, SPREAD_HEAD, spreadCells, startBench } from '../support/output.ts'

const LIMIT_MS = 2
const MAX_GROWTH = 1.1
const JOBS = 300
const WARM_UP = 100
const PARTS = 5
const WIDTH = 8
const DEVICES = { mock: 'mock', Python: 'echo:Echo' } as const

const { rounds, jobs } = startBench('A device in Python', { jobs: '10000' })

/** The process of the device in Python: the grandchild of the driver. */
function deviceProcess(driver: number | undefined): number {
  const childOf = (pid: number | undefined) =>
    Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
  return childOf(childOf(driver))
}

/** Resident memory of a process in MB. */
function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000
}

await using lab = await Lab.open()
// Python imports modules of the folder in which the driver runs.
copyFileSync(join(import.meta.dir, 'echo.py'), join(lab.service.folder, 'echo.py'))
symlinkSync(join(SDK_FOLDER, 'src/svc_driver'), join(lab.service.folder, 'svc_driver'))

const found = new Map<string, number[]>()
const note = (name: string, value: number) => found.set(name, [...(found.get(name) ?? []), value])
for (let round = 0; round < rounds; round += 1) {
  const medians: number[] = []
  for (const [name, device] of Object.entries(DEVICES)) {
    await lab.startDriver(device)
    await measureJobs(lab, WARM_UP)
    const times = (await measureJobs(lab, JOBS)).map(({ completed }) => completed)
    await lab.stopDriver()
    medians.push(percentile(times, 0.5))
    note(`${name}: submission to completion, p50`, percentile(times, 0.5))
    note(`${name}: submission to completion, p99`, percentile(times, 0.99))
  }
  note('difference of the p50', (medians[1] ?? Number.NaN) - (medians[0] ?? Number.NaN))
}
printTable(
  [`ms, of ${JOBS} jobs in each round`, ...SPREAD_HEAD],
  [...found].map(([name, values]) => [name, ...spreadCells(spreadOf(values))]),
)

await lab.startDriver(DEVICES.Python)
const pid = deviceProcess(lab.driverPid)
const memory: number[] = []
const part = Math.ceil(Number(jobs) / PARTS)
for (let at = 0; at < PARTS; at += 1) {
  await lab.untilCompleted(await lab.submitMany(part, WIDTH))
  memory.push(memoryOf(pid))
}
console.log()
printTable(
  ['jobs on one process', 'its memory, MB'],
  memory.map((each, at) => [((at + 1) * part).toLocaleString('en'), each]),
)
const difference = spreadOf(found.get('difference of the p50') ?? []).median
const growth = (memory.at(-1) ?? Number.NaN) / (memory[0] ?? Number.NaN)
process.exitCode = difference <= LIMIT_MS && growth <= MAX_GROWTH ? 0 : 1
