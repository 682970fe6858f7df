import type { Chip } from '../../chip/device-file.ts'
import { type Edge, valueAt } from '../../chip/elements/element.ts'
import { couplingOf } from '../../chip/hardware/cross-check.ts'
import type { Hardware } from '../../chip/hardware/hardware-file.ts'
import { toneOf } from '../../chip/hardware/tones.ts'
import type { ElementValues } from '../../pulse/builder.ts'
import type { Coupling } from '../route/coupling.ts'

/** A chip as the compiler sees it: its qubits by index, their couplings, and the values of its elements. */
export interface CalibratedChip {
  /** Names of the qubits, by index. */
  qubits: readonly string[]
  coupling: Coupling
  /** The edge of two coupled qubits, given by index in either order. */
  edgeOf(one: number, other: number): string
  values: ElementValues
}

/**
 * The chip of a device file. An edge couples its qubits when its CZ gate was calibrated and can be played.
 * @param hardware what plays the gates; undefined where anything can be played
 */
export function calibratedChipOf(chip: Chip, hardware?: Hardware): CalibratedChip {
  const qubits = chip.qubits.map(({ name }) => name)
  const names = new Map<string, string>()
  const edges = chip.edges
    .filter((edge) => canPlayCz(edge, chip, hardware))
    .map(({ name, parent, child }) => {
      const pair = [qubits.indexOf(parent), qubits.indexOf(child)] as const
      names.set(pair.toSorted().join(' '), name)
      return pair
    })
  return {
    qubits,
    coupling: { qubits: qubits.length, edges },
    edgeOf(one, other) {
      const name = names.get([one, other].sort().join(' '))
      if (name === undefined) throw new RangeError(`qubits ${one} and ${other} are not coupled`)
      return name
    },
    values: {
      number(name, path) {
        const element = chip.element(name)
        const value = element && valueAt(element, path)
        return typeof value === 'number' && Number.isFinite(value) ? value : undefined
      },
      ends(name) {
        const edge = chip.element(name)
        if (edge?.kind !== 'edge') throw new RangeError(`${name} is not an edge`)
        return [edge.parent, edge.child]
      },
    },
  }
}

/**
 * A tunable coupler is driven at a frequency that only a calibration finds, and that may lie outside of what
 * its output plays.
 */
function canPlayCz(edge: Edge, chip: Chip, hardware: Hardware | undefined): boolean {
  const { port, clock, hz } = couplingOf(edge, chip)
  return hz !== undefined && (!hardware || !('problem' in toneOf(hardware, port, clock, hz)))
}
