import type { Chip } from '../chip/device-file.ts'
import { valueAt } from '../chip/elements/element.ts'
import type { ChipValues } from './walk/run-values.ts'

/** Paths whose parameter stands for its submodule: an element that has it has the submodule. */
const REPRESENTATIVES: Readonly<Record<string, string>> = {
  r12: 'r12.ef_amp180',
  measure_2state: 'measure_2state.frequency',
  measure_3state: 'measure_3state.frequency',
  bias: 'bias.parking_current',
  cz: 'cz.square_amp',
}

/** The elements and values of a device file, as planning and measurements read them. */
export function chipValuesOf(chip: Chip): ChipValues {
  return {
    qubits: chip.qubits.map(({ name }) => name),
    edges: chip.edges.map(({ name, parent, child }) => ({ name, parent, child })),
    has: (name, path) => chip.element(name)?.has(REPRESENTATIVES[path] ?? path) ?? false,
    value(name, path) {
      const element = chip.element(name)
      return element && valueAt(element, path)
    },
  }
}
