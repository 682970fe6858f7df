import { describe, expect, test } from 'bun:test'
import type { SimulatedChip } from '../../../src/devices/bench/simulated/simulated-chip.ts'
import { readDeviceFile } from '../../../src/devices/chip/device-file.ts'
import { compileCircuit } from '../../../src/devices/compiler/compile.ts'
import {
  type CalibratedChip,
  calibratedChipOf,
} from '../../../src/devices/compiler/schedule/calibrated-chip.ts'
import { lowerProgram, parseProgram } from '../../../src/qasm/index.ts'
import { chipOf, losslessTruth } from '../../support/simulated-chip/chips.ts'
import { project } from '../../support/simulated-chip/experiments.ts'
import { deviceFileOf } from './support/calibrated-pair.ts'

const SHOTS = 400
const signal = new AbortController().signal

function compiled(chip: CalibratedChip, statements: string, qubits = 2) {
  const text = `OPENQASM 3.0; include "stdgates.inc"; qubit[${qubits}] q; bit[${qubits}] c; ${statements}`
  return compileCircuit('scheduler_a', lowerProgram(parseProgram(text), []), chip, 'measure', { level: 0 })
}

function calibrated(text: string): CalibratedChip {
  const file = readDeviceFile(text)
  if ('problems' in file) throw new Error(file.problems.join('\n'))
  return calibratedChipOf(file.chip)
}

/** Shares of the outcomes 00, 01, 10 and 11 (the second qubit first) after some statements. */
async function outcomes(chip: SimulatedChip, device: CalibratedChip, statements: string): Promise<number[]> {
  const points = ['', 'x q;', statements].map((each) => compiled(device, `${each} c = measure q;`))
  const [zero, one, wanted] = await Promise.all(
    points.map(async ({ schedule, resetNs }) => {
      const program = { kind: 'shots' as const, shots: SHOTS, reset_ns: resetNs, points: [schedule] }
      return (await chip.run(program, signal))[0] ?? []
    }),
  )
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length
  const counts = [0, 0, 0, 0]
  const bits = [0, 1].map((at) => {
    const center = (from: typeof zero) => {
      const shots = from?.[at]
      if (!shots) throw new Error('nothing was acquired')
      return { re: mean(shots.i), im: mean(shots.q) }
    }
    const shots = wanted?.[at]
    return Array.from({ length: SHOTS }, (_, shot) => {
      const value = { re: shots?.i[shot] ?? 0, im: shots?.q[shot] ?? 0 }
      return project(value, center(zero), center(one)) > 0.5 ? 1 : 0
    })
  })
  for (let shot = 0; shot < SHOTS; shot++) {
    const outcome = (bits[0]?.[shot] ?? 0) + 2 * (bits[1]?.[shot] ?? 0)
    counts[outcome] = (counts[outcome] ?? 0) + 1 / SHOTS
  }
  return counts
}

describe.each([1, -1] as const)('compileCircuit() for a simulated chip of hand %d', (hand) => {
  const truth = { ...losslessTruth(2, 3), hand }
  const { chip } = chipOf(truth)
  const device = calibrated(deviceFileOf(truth, chip))

  test('makes a Bell pair, and turns it back', async () => {
    const [none = 0, , , both = 0] = await outcomes(chip, device, 'h q[0]; cx q[0], q[1];')
    expect(none + both).toBeGreaterThan(0.97)
    expect(Math.abs(none - both)).toBeLessThan(0.2)
    const back = await outcomes(
      chip,
      device,
      'h q[0]; cx q[0], q[1]; rz(1) q[1]; cx q[0], q[1]; rz(-1) q[1]; h q[0];',
    )
    // The phase of 1 rad, which the second CX puts on the first qubit, turns cos² of half of it away from 0.
    expect(back[0]).toBeCloseTo(Math.cos(0.5) ** 2, 1)
  })

  test('shifts frames to the right side: Ry(90), Rz(90), Rx(90) ends in 0', async () => {
    const [zero = 0] = await outcomes(chip, device, 'ry(pi/2) q[0]; rz(pi/2) q[0]; barrier q; rx(pi/2) q[0];')
    expect(zero).toBeGreaterThan(0.97)
    const split = 'ry(pi/2) q[0]; barrier q; rz(pi/2) q[0]; barrier q; rx(pi/2) q[0];'
    const [after = 0] = await outcomes(chip, device, split)
    expect(after).toBeGreaterThan(0.97)
  })

  test('exchanges states by swap', async () => {
    const shares = await outcomes(chip, device, 'x q[0]; swap q[0], q[1];')
    expect(shares[2]).toBeGreaterThan(0.95)
  })
})
