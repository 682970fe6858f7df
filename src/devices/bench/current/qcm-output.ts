import { milliamps, type QcmOutput } from './coupler-bias.ts'
import { type CurrentOutput, OutputError } from './output.ts'

/** The static voltages of the baseband outputs of a cluster, as its client sets and reads them. */
export interface VoltageOutputs {
  /** `AFE:OFFSet:DAC{output}?` of the module in slot `module`, V. */
  readVolts(module: number, output: number): Promise<number>
  /** `AFE:OFFSet:DAC{output} <volts>`. */
  writeVolts(module: number, output: number, volts: number): Promise<void>
}

/** Full scale of an output, V, and its converter's steps of 16 bits. */
const FULL_SCALE_V = 2.5
const STEP_V = (2 * FULL_SCALE_V) / 2 ** 16

/** An output of a baseband module that drives a current through a line of known resistance. */
export function createQcmOutput(voltages: VoltageOutputs, place: QcmOutput): CurrentOutput {
  const { module, output, lineResistanceOhm } = place
  const highest = FULL_SCALE_V / lineResistanceOhm
  const resolution = STEP_V / lineResistanceOhm
  const read = async () => (await voltages.readVolts(module, output)) / lineResistanceOhm
  return {
    resolution,
    range: [-highest, highest],
    read,
    async write(amps) {
      if (!(Math.abs(amps) <= highest)) {
        throw new OutputError(
          `${milliamps(amps)} through ${lineResistanceOhm} Ω needs more than the ${FULL_SCALE_V} V of the output`,
        )
      }
      await voltages.writeVolts(module, output, Math.round(amps / resolution) * STEP_V)
      return read()
    },
  }
}
