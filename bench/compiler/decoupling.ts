/**
 * What dynamical decoupling gains on a simulated chip with slow noise: `bun bench/compiler/decoupling.ts
 * [--shots 4000] [--seed N]`. A Ramsey-like circuit waits in a superposition; states of three qubits wait
 * entangled, and while one qubit after the other joins them. Exits 1 unless each gains.
 */
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { readDeviceFile } from '../../src/devices/chip/device-file.ts'
import { compileCircuit } from '../../src/devices/compiler/compile.ts'
import { calibratedChipOf } from '../../src/devices/compiler/schedule/calibrated-chip.ts'
import type { DecouplingSequence } from '../../src/devices/compiler/schedule/decouple.ts'
import { lowerProgram, parseProgram } from '../../src/qasm/index.ts'
import { deviceFileOf } from '../../tests/devices/compiler/support/calibrated-pair.ts'
import { chipOf, losslessTruth } from '../../tests/support/simulated-chip/chips.ts'
import { project } from '../../tests/support/simulated-chip/experiments.ts'
import { printHead, printRow } from '../support/output.ts'

const { values: flags } = parseArgs({
  options: {
    shots: { type: 'string', default: '4000' },
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
  },
})
const [shots, seed] = [Number(flags.shots), Number(flags.seed)]
console.log(`seed ${seed}, ${shots} shots`)

/** Circuits that end in 0 without noise. */
const CIRCUITS: Readonly<Record<string, string>> = {
  'Ramsey, wait of 4 us': 'h q[0]; delay[4us] q[0]; h q[0];',
  'GHZ of 3, wait of 2 us':
    'h q[0]; cx q[0], q[1]; cx q[1], q[2]; barrier q; delay[2us] q; barrier q; cx q[1], q[2]; cx q[0], q[1]; h q[0];',
  'three qubits that join late':
    'h q; delay[3us] q[2]; cx q[0], q[1]; cx q[0], q[1]; cx q[1], q[2]; cx q[1], q[2]; h q;',
}

const truth = losslessTruth(3, seed)
for (const qubit of Object.values(truth.qubits))
  Object.assign(qubit, { t1: 100e-6, t2_echo: 80e-6, t2_star: 5e-6 })
truth.shots_noise = true

/** The share of shots in which all qubits are found in 0. */
async function shareOfZeros(statements: string, sequence: DecouplingSequence | undefined): Promise<number> {
  const { chip } = chipOf(truth)
  const file = readDeviceFile(deviceFileOf(truth, chip))
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  const calibrated = calibratedChipOf(file.chip)
  const signals = async (text: string) => {
    const source = `OPENQASM 3.0; include "stdgates.inc"; qubit[3] q; bit[3] c; ${text} c = measure q;`
    const options = { level: 0, decoupling: sequence } as const
    const circuit = compileCircuit(
      'bench',
      lowerProgram(parseProgram(source), []),
      calibrated,
      'measure',
      options,
    )
    const program = { kind: 'shots', shots, reset_ns: 1_000_000, points: [circuit.schedule] } as const
    const [found] = await chip.run(program, new AbortController().signal)
    return found ?? []
  }
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value / values.length, 0)
  const [zero, one] = [await signals(''), await signals('x q;')]
  const found = await signals(statements)
  const isOne = found.map(({ i, q }, at) => {
    const center = (from: typeof zero) => ({ re: mean(from[at]?.i ?? i), im: mean(from[at]?.q ?? q) })
    const [low, high] = [center(zero), center(one)]
    return Array.from(i, (re, shot) => project({ re, im: q[shot] ?? 0 }, low, high) > 0.5)
  })
  const zeros = Array.from({ length: shots }, (_, shot) => isOne.every((each) => each[shot] === false))
  return zeros.filter(Boolean).length / shots
}

let isMissed = false
printHead(['circuit', 'none', 'XX', 'XY4'])
for (const [name, statements] of Object.entries(CIRCUITS)) {
  const shares: number[] = []
  for (const sequence of [undefined, 'XX', 'XY4'] as const)
    shares.push(await shareOfZeros(statements, sequence))
  const [none = 0, ...decoupled] = shares
  // Five standard errors of a difference.
  const limit = 5 * Math.sqrt(0.5 / shots)
  isMissed ||= decoupled.some((share) => share < none + limit)
  printRow([name, ...shares.map((share) => share.toFixed(3))])
}
process.exit(isMissed ? 1 : 0)
