import type { Channel } from '../../../chip/hardware/connections.ts'
import type { Hardware } from '../../../chip/hardware/hardware-file.ts'
import { LO_RANGE_HZ, MAX_NCO_HZ } from '../../../chip/hardware/modules.ts'
import type { PortSettings } from '../../../chip/hardware/port-settings.ts'
import { ProgramError } from '../../../pulse/check-program.ts'
import { type PortName, type Program, partsOfPort } from '../../../pulse/schedule.ts'
import type { Ports } from '../../sequencer/compile/compiled-run.ts'
import { DURATION_NS } from '../../sequencer/sequence.ts'

/** A port of a program with all that plays it. */
export interface ClusterPort {
  name: PortName
  channel: Channel
  /** Number of the channel among those of its kind: 0 for `complex_output_0`. */
  output: number
  /** Where it is recorded; undefined for a port that is not read out. */
  input: Channel | undefined
  settings: PortSettings
  /** Frequency of the local oscillator, Hz; undefined on a baseband output. */
  loHz: number | undefined
  /** Its first tone, Hz. */
  toneHz: number
}

/** How a cluster plays a program. */
export interface ClusterPorts extends Ports {
  all: ReadonlyMap<PortName, ClusterPort>
}

/** The frequencies of a port, in the order of their first use. */
type Tones = Map<PortName, Set<number>>

/**
 * How the ports of a program are connected, and the local oscillators that reach all its tones: those of the
 * hardware file, or with `interm_freq` what is beside the first tone, or between the outermost ones.
 * @throws ProgramError for a port that is not connected, and for tones that are out of reach.
 */
export function clusterPortsOf(hardware: Hardware, program: Program): ClusterPorts {
  const tones = tonesOf(program)
  const all = new Map<PortName, ClusterPort>()
  for (const [name, [toneHz = 0]] of tones) all.set(name, connected(hardware, name, toneHz))
  for (const ports of Map.groupBy(all.values(), ({ channel }) => channel.name).values()) {
    const loHz = oscillatorOf(ports, tones)
    for (const port of ports) port.loHz = loHz
  }
  const portOf = (name: PortName) => all.get(name) ?? connected(hardware, name, 0)
  return {
    all,
    ncoHz: (name, frequency) => ncoOf(portOf(name), frequency),
    markers: (name) => portOf(name).channel.kind.markers[portOf(name).output] ?? 0,
    memory: (name) => portOf(name).channel.kind.memory,
    delayNs: (name) => portOf(name).settings.delayNs,
  }
}

function tonesOf({ points }: Program): Tones {
  const tones: Tones = new Map()
  const add = ({ port, frequency }: { port: PortName; frequency: number }) => {
    const known = tones.get(port)
    if (known) known.add(frequency)
    else tones.set(port, new Set([frequency]))
  }
  for (const { pulses, acquisitions } of points) {
    for (const pulse of pulses) add(pulse)
    for (const acquisition of acquisitions) add(acquisition)
  }
  return tones
}

function connected(hardware: Hardware, name: PortName, toneHz: number): ClusterPort {
  const channel = hardware.channelOf(name)
  const settings = hardware.settingsOf(name)
  if (!channel || !settings) throw new ProgramError(name, 'it is not connected in the hardware file')
  const output = Number(/^(?:real|complex)_output_(\d+)$/.exec(channel.channel)?.[1] ?? Number.NaN)
  if (Number.isNaN(output)) throw new ProgramError(name, `${channel.name} is no output`)
  const isReadout = partsOfPort(name).kind === 'res'
  const input = isReadout ? hardware.inputOf(name) : undefined
  if (isReadout && !input)
    throw new ProgramError(name, `${channel.name} is on a ${channel.module}, which has no input`)
  const most = DURATION_NS.max - DURATION_NS.min
  if (settings.delayNs > most) {
    throw new ProgramError(
      name,
      `latency_corrections are ${settings.delayNs} ns apart; at most ${most} are possible`,
    )
  }
  return { name, channel, output, input, settings, loHz: undefined, toneHz }
}

/** The frequency of the oscillator of one channel; undefined on a baseband output without one. */
function oscillatorOf(ports: readonly ClusterPort[], tones: Tones): number | undefined {
  const [first] = ports
  if (!first) return undefined
  const given = first.settings.loHz
  if (given !== undefined || !first.channel.kind.isRf) return given
  const all = ports.flatMap(({ name }) => [...(tones.get(name) ?? [])])
  const [least, most] = [Math.min(...all), Math.max(...all)]
  const beside = (all[0] ?? 0) - (first.settings.intermediateHz ?? 0)
  const isReached = least >= beside - MAX_NCO_HZ && most <= beside + MAX_NCO_HZ
  const hz = Math.round(isReached ? beside : (least + most) / 2)
  if (hz >= LO_RANGE_HZ.min && hz <= LO_RANGE_HZ.max) return hz
  const range = `${LO_RANGE_HZ.min / 1e9} to ${LO_RANGE_HZ.max / 1e9} GHz`
  throw new ProgramError(first.name, `its oscillator reaches ${range}, not ${hz / 1e9} GHz`)
}

/**
 * A baseband output plays a tone itself, one behind an external mixer what is beside its `lo_freq`. With
 * `interm_freq` and no `lo_freq` that oscillator is unknown, and the tone is always the intermediate one.
 */
function ncoOf({ name, channel, settings, loHz }: ClusterPort, frequency: number): number {
  if (frequency === 0) return 0
  const { isRf } = channel.kind
  const fixed = !isRf && loHz === undefined ? settings.intermediateHz : undefined
  const hz = fixed ?? frequency - (loHz ?? 0)
  if (Math.abs(hz) <= MAX_NCO_HZ) return hz
  const center = (loHz ?? 0) / 1e6
  const [low, high] = [center - MAX_NCO_HZ / 1e6, center + MAX_NCO_HZ / 1e6]
  throw new ProgramError(name, `${channel.name} plays ${low} to ${high} MHz, not ${frequency / 1e6}`)
}
