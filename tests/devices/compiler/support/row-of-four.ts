import { readDeviceFile } from '../../../../src/devices/chip/device-file.ts'
import { type CompiledCircuit, compileCircuit } from '../../../../src/devices/compiler/compile.ts'
import { calibratedChipOf } from '../../../../src/devices/compiler/schedule/calibrated-chip.ts'
import { lowerProgram, parseProgram } from '../../../../src/qasm/index.ts'

/** Duration of a pulse of each qubit of `rowOfFour`, ns. */
export const PULSE_NS = [20, 24, 32, 20] as const
/** Duration of a CZ, ns. */
export const CZ_NS = 40
/** Duration of a readout of each qubit of `rowOfFour`, ns. */
export const READOUT_NS = [1100, 1300, 1100, 1500] as const

const qubits = PULSE_NS.map(
  (ns, index) => `q${index}:
  element_type: {path: svc.elements.CalibratedTransmon, args: [q${index}]}
  reset: {duration: 2.0e-6}
  rxy: {amp180: 0.5, duration: ${ns}.0e-9}
  measure: {pulse_amp: 0.2, pulse_duration: 1.0e-6, acq_delay: 200.0e-9, integration_time: ${(READOUT_NS[index] ?? 0) - 200}.0e-9}
  clock_freqs: {f01: 4.${index}e+9, readout: 6.${index}e+9}
`,
)
const edges = [0, 1, 2].map(
  (parent) => `q${parent}_q${parent + 1}:
  element_type: {path: svc.elements.CompositeSquareEdge, kwargs: {parent_element_name: q${parent}, child_element_name: q${parent + 1}}}
  cz: {square_amp: 0.3, square_duration: ${CZ_NS}.0e-9}
`,
)
const file = readDeviceFile([...qubits, ...edges].join(''))
if ('problems' in file) throw new Error(file.problems.join('\n'))

/** Four qubits in a row, whose pulses and readouts differ in length. */
export const rowOfFour = calibratedChipOf(file.chip)

/** A program compiled for `rowOfFour`. */
export function onRowOfFour(program: string, options: Parameters<typeof compileCircuit>[4]): CompiledCircuit {
  const limits = { repeatsPowers: options?.level === 0 }
  const circuit = lowerProgram(parseProgram(program), [], limits)
  return compileCircuit('scheduler_a', circuit, rowOfFour, 'measure', options)
}
