import type { Chip } from '../device-file.ts'
import { couplingOf, driveOf, readoutOf } from './cross-check.ts'
import type { Hardware } from './hardware-file.ts'

/**
 * The hardware file by the names that schedules have for the lines of a chip, `<element>:<kind>`, instead of
 * the names of its ports, which the device file may choose: `q0:mw` and `q0:res` of a qubit, and `q0_q1:fl`
 * of the gate of an edge. Without a tunable coupler the latter is the flux line of the parent, which several
 * edges may share.
 */
export function linesOfChip(hardware: Hardware, chip: Chip): Hardware {
  const ports = new Map<string, string>()
  for (const qubit of chip.qubits) {
    ports.set(`${qubit.name}:mw`, driveOf(qubit).port)
    ports.set(`${qubit.name}:res`, readoutOf(qubit).port)
  }
  for (const edge of chip.edges) ports.set(`${edge.name}:fl`, couplingOf(edge, chip).port)
  const portOf = (line: string) => ports.get(line) ?? line
  return {
    ...hardware,
    channelOf: (line) => hardware.channelOf(portOf(line)),
    obstacleOf: (line) => hardware.obstacleOf(portOf(line)),
    inputOf: (line) => hardware.inputOf(portOf(line)),
    settingsOf: (line) => hardware.settingsOf(portOf(line)),
    optionsOf: (line, clock) => hardware.optionsOf(portOf(line), clock),
  }
}
