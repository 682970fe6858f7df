import type { Chip } from '../chip/device-file.ts'
import type { Hardware } from '../chip/hardware/hardware-file.ts'
import { type PortName, partsOfPort, type Schedule } from '../pulse/schedule.ts'

/**
 * The strongest pulse of every port of a schedule, as physicists ask for it: dB of the full scale of the
 * output, what its attenuator takes off, and dBm where the device file has a `reference_magnitude`, which is
 * the power of amplitude 1.
 * @param lines the hardware by the names of schedules
 */
export function outputLevels(
  { pulses }: Schedule,
  chip: Chip,
  lines: Pick<Hardware, 'settingsOf'>,
): Record<string, string> {
  const levels: Record<string, string> = {}
  for (const [port, members] of Map.groupBy(pulses, (pulse) => pulse.port)) {
    const amplitude = Math.max(...members.map((pulse) => Math.abs(pulse.amplitude)))
    const relative = 20 * Math.log10(amplitude)
    const attenuation = lines.settingsOf(port)?.outputAttenuation
    const reference = referenceOf(chip, port)
    levels[port] = [
      `${relative.toFixed(1)} dB of full scale`,
      ...(attenuation === undefined ? [] : [`attenuator ${attenuation} dB`]),
      ...(reference === undefined ? [] : [`${(reference + relative).toFixed(1)} dBm`]),
    ].join(', ')
  }
  return levels
}

/** Power of a pulse of amplitude 1, dBm, if the device file has it. */
function referenceOf(chip: Chip, port: PortName): number | undefined {
  const { element, kind } = partsOfPort(port)
  const qubit = chip.element(element)
  if (qubit?.kind !== 'qubit' || kind === 'fl') return undefined
  const magnitude = qubit.get(kind === 'mw' ? 'rxy.reference_magnitude' : 'measure.reference_magnitude')
  const dbm = magnitude?.dBm ?? Number.NaN
  return Number.isFinite(dbm) ? dbm : undefined
}
