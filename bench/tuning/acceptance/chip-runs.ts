import { join } from 'node:path'
import type { ChipRun } from './calibrate-chip.ts'

const PROCESS = join(import.meta.dir, 'calibrate-chip.ts')

interface RunOptions {
  qubits: number
  bringUp: ChipRun['bringUp']
  /** Chips calibrated at the same time. */
  processes: number
}

/**
 * Calibrates a chip per seed, each in a process of its own, and hands over each run as it ends.
 * @throws Error with the output of a process that fails.
 */
export async function runChips(
  seeds: readonly number[],
  { qubits, bringUp, processes }: RunOptions,
  onRun: (run: ChipRun) => void,
): Promise<ChipRun[]> {
  const waiting = [...seeds]
  const runs: ChipRun[] = []
  const work = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const run = await runChip([seed, qubits, 1, bringUp].map(String))
      runs.push(run)
      onRun(run)
    }
  }
  await Promise.all(Array.from({ length: processes }, work))
  return runs
}

async function runChip(args: readonly string[]): Promise<ChipRun> {
  const child = Bun.spawn([process.execPath, PROCESS, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (status !== 0) throw new Error(`the calibration of seed ${args[0]} failed:\n${err}`)
  const run: ChipRun = JSON.parse(out)
  // JSON has no infinity: a value that is no number is infinitely far from the truth.
  return { ...run, judged: run.judged.map((each) => ({ ...each, distance: each.distance ?? Infinity })) }
}
