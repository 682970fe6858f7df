/**
 * Jobs of joined qubits on the simulated chip: `bun bench/tuning/chip/joined-qubits.ts [--rounds 3]
 * [--shots 2000] [--seed N]`. A row is a circuit of random rotations and of CZ pulses along a row of qubits.
 * The goals are 2 s for 6 qubits with 24 CZ and 15 s for 8 qubits with 40 CZ; exits 1 above them. Times are
 * those of the processor, which others do not disturb.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { systemClock } from '../../../src/base/index.ts'
import { createSimulatedChip } from '../../../src/devices/bench/simulated/simulated-chip.ts'
import { drawChip } from '../../../src/devices/bench/simulated/truth/draw-chip.ts'
import type { Schedule } from '../../../src/devices/pulse/schedule.ts'
import { createRng } from '../../../src/simulator/index.ts'
import { EPOCH, rowDesign } from '../../../tests/support/simulated-chip/chips.ts'
import { joinedCircuit } from '../../../tests/support/simulated-chip/joined-circuit.ts'
import { printHead, printRow } from '../../support/output.ts'

/** Qubits, CZ gates, and the goal in s. */
const CASES = [
  [3, 32, Number.POSITIVE_INFINITY],
  [4, 20, Number.POSITIVE_INFINITY],
  [6, 15, Number.POSITIVE_INFINITY],
  [6, 24, 2],
  [8, 40, 15],
] as const

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    shots: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
})
const seed = Number(flags.seed)
const shots = Number(flags.shots)
console.log(`seed ${seed}, ${shots} shots`)

let isMissed = false
async function secondsOf(qubits: number, point: Schedule): Promise<number> {
  const chip = createSimulatedChip({
    truth: drawChip(rowDesign(qubits), { seed, epoch: EPOCH }),
    clock: systemClock,
  })
  const start = process.cpuUsage()
  const program = { kind: 'shots', shots, reset_ns: 300_000, points: [point] } as const
  await chip.run(program, new AbortController().signal)
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

printHead(['qubits', 'CZ', 's', 'goal'])
for (const [qubits, gates, goal] of CASES) {
  const truth = drawChip(rowDesign(qubits), { seed, epoch: EPOCH })
  const times: number[] = []
  for (let round = 0; round < Number(flags.rounds); round++)
    times.push(await secondsOf(qubits, joinedCircuit(truth, gates, createRng(seed + round))))
  const best = Math.min(...times)
  isMissed ||= best > goal
  printRow([qubits, gates, best.toFixed(2), Number.isFinite(goal) ? goal : ''].map(String))
}
process.exit(isMissed ? 1 : 0)
