import {
  createSimulatedChip,
  type SimulatedChip,
} from '../../../src/devices/bench/simulated/simulated-chip.ts'
import type { ChipTruth } from '../../../src/devices/bench/simulated/truth/chip-truth.ts'
import type { ChipDesign } from '../../../src/devices/bench/simulated/truth/design.ts'
import { drawChip } from '../../../src/devices/bench/simulated/truth/draw-chip.ts'
import { FakeClock } from '../fake-clock.ts'

export const EPOCH = '2026-11-01T00:00:00.000Z'

/** A row of `count` qubits without design values, with an edge between neighbors. */
export function rowDesign(count: number, kind: 'parametric' | 'baseband' = 'parametric'): ChipDesign {
  const names = Array.from({ length: count }, (_, index) => `q${index}`)
  return {
    qubits: names.map((name) => ({ name, piDuration: 56 })),
    edges: names.slice(1).map((child, index) => {
      const parent = `q${index}`
      return { name: `${parent}_${child}`, parent, child, kind }
    }),
  }
}

/** A chip without drift, crosstalk, defects and noise of shots: what is left are its dynamics. */
export function quietTruth(
  count: number,
  seed = 1,
  kind: 'parametric' | 'baseband' = 'parametric',
): ChipTruth {
  const truth = drawChip(rowDesign(count, kind), { seed, epoch: EPOCH })
  for (const qubit of Object.values(truth.qubits)) {
    delete qubit.defect
    delete qubit.switching
  }
  for (const edge of Object.values(truth.edges)) {
    edge.drive_leak = [0, 0]
    edge.flux_leak = {}
  }
  for (const line of Object.values(truth.readout_lines)) line.crosstalk = 0
  return { ...truth, drift: false, shots_noise: false }
}

/** The same with hardly any damping, and with drive lines that do not compress: closed forms hold. */
export function losslessTruth(
  count: number,
  seed = 1,
  kind: 'parametric' | 'baseband' = 'parametric',
): ChipTruth {
  const truth = quietTruth(count, seed, kind)
  for (const qubit of Object.values(truth.qubits)) {
    Object.assign(qubit, { t1: 0.01, t2_star: 0.01, t2_echo: 0.01, thermal: 0, compression: 0 })
    qubit.readout.induced = 0
  }
  for (const edge of Object.values(truth.edges)) edge.flux_noise = 0
  return truth
}

/** A chip whose clock stands still until a test moves it. */
export function chipOf(truth: ChipTruth): { chip: SimulatedChip; clock: FakeClock } {
  const clock = new FakeClock(Date.parse(EPOCH))
  return { chip: createSimulatedChip({ truth, clock }), clock }
}
