import type { Conditions } from '../../../../src/devices/bench/simulated/state/conditions.ts'
import type { Hardware } from '../../../../src/devices/chip/hardware/hardware-file.ts'
import { MODULE_KINDS, type ModuleKind } from '../../../../src/devices/chip/hardware/modules.ts'
import { type PortName, partsOfPort } from '../../../../src/devices/pulse/schedule.ts'
import type { PlayedSequencer } from '../run/played-run.ts'
import type { Line } from './pulses.ts'

/**
 * The line that a sequencer plays on; undefined when it is connected to none or its oscillator is off. Of the
 * ports of one output it is that whose resonance is nearest to the tones.
 */
export function lineOf(
  played: PlayedSequencer,
  hardware: Hardware,
  conditions: Conditions,
): Line | undefined {
  const output = outputOf(played)
  if (!output) return undefined
  const [cluster] = hardware.clusters
  const ports = hardware.portsOf(`${cluster?.name}.module${played.slot}.${output.channel}`) as PortName[]
  const kind: ModuleKind = MODULE_KINDS[played.module]
  const loHz = oscillatorOf(played, kind, output.number, ports, hardware)
  if (loHz === undefined) return undefined
  const tones = played.events.flatMap((event) => (event.kind === 'update' ? [] : [loHz + event.output.hz]))
  const mean = tones.reduce((sum, each) => sum + each, 0) / Math.max(1, tones.length)
  const distance = (port: PortName) => Math.abs(resonanceOf(port, conditions) - mean)
  const [port] = [...ports].sort((a, b) => distance(a) - distance(b))
  if (!port) return undefined
  const delayNs = hardware.settingsOf(port)?.delayNs ?? 0
  return { port, loHz, delayNs, markers: kind.markers[output.number] ?? 0 }
}

/** `complex_output_1` is connected to the converters 2 and 3, `real_output_1` to one. */
function outputOf({ outputs }: PlayedSequencer): { channel: string; number: number } | undefined {
  const [[first] = [], [second] = []] = outputs
  if (first === undefined) return undefined
  if (second === undefined) return { channel: `real_output_${first}`, number: first }
  return { channel: `complex_output_${first / 2}`, number: first / 2 }
}

/** Frequency that the output adds, Hz; undefined for an oscillator that is off. */
function oscillatorOf(
  { frontEnd, module }: PlayedSequencer,
  kind: ModuleKind,
  output: number,
  ports: readonly PortName[],
  hardware: Hardware,
): number | undefined {
  if (module === 'QRC') return frontEnd.get(`AFE:OUT:FREQ ${output}`)
  const name = kind.oscillators[output]
  if (name === undefined) return hardware.settingsOf(ports[0] ?? '')?.loHz ?? 0
  if (frontEnd.get(`${name}:ENAble`) !== 1) return undefined
  return frontEnd.get(`STATus:QUEStionable:FREQuency:${name}`)
}

function resonanceOf(port: PortName, { transmons, resonators }: Conditions): number {
  const { element, kind } = partsOfPort(port)
  if (kind === 'fl') return 0
  return (kind === 'mw' ? transmons.get(element)?.f01 : resonators.get(element)?.frequency) ?? Number.NaN
}
