import type { Chip } from '../chip/device-file.ts'
import type { Provenance } from '../chip/provenance/provenance.ts'
import type { CalibratedChip } from '../compiler/schedule/calibrated-chip.ts'

/** How a value came about: the routine that measured it, the calibration, when, and how long ago. */
interface ValueOrigin {
  routine: string
  run: string
  /** UTC. */
  at: string
  age_s: number
}

/** Origins by element and path; null for a value that no routine measured, or that was changed since. */
type ValueOrigins = Record<string, Record<string, ValueOrigin | null>>

/** Notes which values of a chip are read, so that results can name where they came from. */
export class UsedValues {
  /** The chip, whose values are noted when they are read. */
  readonly chip: CalibratedChip
  readonly #paths = new Map<string, Set<string>>()

  constructor(chip: CalibratedChip) {
    const { values } = chip
    this.chip = {
      ...chip,
      values: {
        ends: (edge) => values.ends(edge),
        number: (element, path) => {
          const value = values.number(element, path)
          if (value !== undefined) this.#note(element, path)
          return value
        },
      },
    }
  }

  /** @param now ms since 1970 */
  origins(chip: Chip, provenance: Provenance, now: number): ValueOrigins {
    const ofElement = (element: string, paths: ReadonlySet<string>) =>
      [...paths].sort().map((path) => {
        const found = provenance.originOf(element, path, chip.element(element)?.values.get(path))
        if (!found) return [path, null] as const
        const { routine, run, at } = found
        return [
          path,
          { routine, run, at, age_s: Math.max(0, Math.round((now - Date.parse(at)) / 1_000)) },
        ] as const
      })
    return Object.fromEntries(
      [...this.#paths].map(([element, paths]) => [element, Object.fromEntries(ofElement(element, paths))]),
    )
  }

  #note(element: string, path: string): void {
    const paths = this.#paths.get(element) ?? new Set()
    this.#paths.set(element, paths.add(path))
  }
}
