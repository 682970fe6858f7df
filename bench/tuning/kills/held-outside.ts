import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { SimulatedChip } from '../../../src/devices/bench/simulated/simulated-chip.ts'

/** Between two steps of a ramp the file has what the source holds, A. */
const STEP_A = 20e-6

/**
 * The chip with a source whose currents outlive the process, as those of a rack do: a file holds them, also
 * in the middle of a ramp.
 */
export async function heldOutside(chip: SimulatedChip, path: string): Promise<SimulatedChip> {
  const { currents } = chip
  const { edges, heldIn } = currents
  const store = () => {
    writeFileSync(
      `${path}.new`,
      JSON.stringify(Object.fromEntries(edges.map((edge) => [edge, heldIn(edge)]))),
    )
    renameSync(`${path}.new`, path)
  }
  const held: Record<string, number> = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  for (const [edge, amps] of Object.entries(held)) await currents.ramp(edge, amps, { rate: 1 })
  return {
    ...chip,
    currents: {
      ...currents,
      async ramp(edge, amps, options) {
        const way = amps - heldIn(edge)
        const steps = Math.max(1, Math.ceil(Math.abs(way) / STEP_A))
        const start = heldIn(edge)
        for (let step = 1; step <= steps; step++) {
          await currents.ramp(edge, step === steps ? amps : start + (way * step) / steps, options)
          store()
        }
      },
    },
  }
}
