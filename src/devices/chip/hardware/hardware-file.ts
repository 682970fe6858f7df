import * as v from 'valibot'
import { nearest } from '../../../base/index.ts'
import { problemOfIssue } from '../files/problem-of-issue.ts'
import { type FileProblem, parseYaml } from '../files/yaml-text.ts'
import { type Channel, type Connections, connectionsOf, portOf, unusedInstruments } from './connections.ts'
import { clustersOf, type HardwareContent, hardwareFile, OPTION_NAMES } from './hardware-schema.ts'
import { isModuleName, type ModuleName } from './modules.ts'
import { type PortSettings, portSettingsOf } from './port-settings.ts'

/** Options of a port with a clock; undefined is what the file leaves out. */
interface PortClockOptions {
  /** Frequency of the local oscillator, Hz. */
  loHz: number | undefined
  /** Frequency beside the oscillator, Hz. */
  intermediateHz: number | undefined
  /** Attenuation of the output and the input, dB. */
  outputAttenuation: number | undefined
  inputAttenuation: number | undefined
  /** s. */
  latency: number
}

/** A valid hardware file. */
export interface Hardware {
  clusters: readonly {
    name: string
    address: string | undefined
    /** Ports of the modules: that of slot n is n above it; undefined for the usual one. */
    moduleBase: number | undefined
    /** The oscillator of 10 MHz that the clocks follow; undefined leaves it as it is. */
    reference: 'internal' | 'external' | undefined
    modules: ReadonlyMap<number, ModuleName>
  }[]
  /** The channel of a port. */
  channelOf(port: string): Channel | undefined
  /** The input that records what a readout port plays; undefined when its module has none. */
  inputOf(port: string): Channel | undefined
  /** What a connected port is played with. */
  settingsOf(port: string): PortSettings | undefined
  /** All ports of a channel, in the order of the file. */
  portsOf(channel: string): readonly string[]
  optionsOf(port: string, clock: string): PortClockOptions
  /** Ports with clocks that the options name. */
  portClocks: readonly { port: string; clock: string }[]
  /** Why a port that the file connects is not played; undefined for one that is, and for unknown ones. */
  obstacleOf(port: string): string | undefined
  /** Ports that the file connects and that are not played, each with the reason. */
  unplayable: readonly string[]
  /** Options and instruments that are accepted and not used, by path. */
  unused: readonly string[]
}

/** Reads a `scheduler.hardware.json` (or YAML); returns all problems of an invalid text, one line each. */
export function readHardwareFile(text: string): Hardware | { problems: string[] } {
  const yaml = parseYaml(text)
  if ('problems' in yaml) return yaml
  const parsed = v.safeParse(hardwareFile, yaml.content)
  if (!parsed.success) {
    return {
      problems: yaml.describe(parsed.issues.map(problemOfIssue)),
    }
  }
  const content = parsed.output
  const problems: FileProblem[] = []
  const connections = connectionsOf(content, problems)
  const { channels } = connections
  const portClocks = portClocksOf(content, connections, problems)
  checkOscillators(content, channels, problems)
  checkSequencers(portClocks, channels, problems)
  const settings = portSettingsOf(content.hardware_options, channels, problems)
  if (problems.length > 0) return { problems: yaml.describe(problems) }
  return hardwareOf(content, { ...connections, settings, portClocks })
}

interface HardwareParts extends Connections {
  settings: ReadonlyMap<string, PortSettings>
  portClocks: readonly PortClock[]
}

function hardwareOf(
  content: HardwareContent,
  { channels, inputs, obstacles, settings, portClocks }: HardwareParts,
): Hardware {
  const options = content.hardware_options
  return {
    clusters: [...clustersOf(content)].map(([name, { ip, module_base_port, ref, modules }]) => ({
      name,
      address: ip ?? undefined,
      moduleBase: module_base_port ?? undefined,
      reference: ref,
      modules: new Map(
        Object.entries(modules).flatMap(([slot, { instrument_type }]) =>
          isModuleName(instrument_type) ? [[Number(slot), instrument_type] as const] : [],
        ),
      ),
    })),
    channelOf: (port) => channels.get(port),
    inputOf: (port) => inputs.get(port) ?? defaultInput(channels.get(port)),
    settingsOf: (port) => settings.get(port),
    portsOf: (name) => [...channels].filter(([, channel]) => channel.name === name).map(([port]) => port),
    optionsOf(port, clock) {
      const key = `${port}-${clock}`
      return {
        loHz: options.modulation_frequencies[key]?.lo_freq ?? undefined,
        intermediateHz: options.modulation_frequencies[key]?.interm_freq ?? undefined,
        outputAttenuation: options.output_att[key],
        inputAttenuation: options.input_att[key],
        latency: options.latency_corrections[key] ?? 0,
      }
    },
    portClocks,
    obstacleOf: (port) => obstacles.get(port),
    unplayable: [...obstacles].map(([port, reason]) => `${port}: ${reason}`),
    unused: [
      ...unusedInstruments(content),
      ...Object.keys(options)
        .filter((name) => !OPTION_NAMES.has(name))
        .map((name) => `hardware_options.${name}`),
    ],
  }
}

/** The first input of the module of an output. */
function defaultInput(output: Channel | undefined): Channel | undefined {
  const channel = output?.kind.inputs[0]
  if (!output || channel === undefined) return undefined
  return { ...output, name: `${output.cluster}.module${output.slot}.${channel}`, channel }
}

interface PortClock {
  port: string
  clock: string
}

/** The ports with clocks of all options; their ports have to be connected. */
function portClocksOf(
  { hardware_options: options }: HardwareContent,
  { channels, obstacles }: Connections,
  problems: FileProblem[],
): readonly PortClock[] {
  const found = new Map<string, PortClock>()
  for (const name of OPTION_NAMES) {
    for (const key of Object.keys((options[name] ?? {}) as object)) {
      const port = portOf(key)
      const portClock = { port, clock: key.slice(port.length + 1) }
      if (channels.has(portClock.port)) found.set(key, portClock)
      else if (!obstacles.has(portClock.port)) {
        const guess = nearest(portClock.port, [...channels.keys(), ...obstacles.keys()])
        const message = `connectivity.graph has no ${portClock.port}${guess ? `; did you mean ${guess}?` : ''}`
        problems.push({ path: ['hardware_options', name, key], message })
      }
    }
  }
  return [...found.values()]
}

/** Every clock on an RF channel needs one frequency, and an output has one oscillator. */
function checkOscillators(
  { hardware_options: { modulation_frequencies } }: HardwareContent,
  channels: ReadonlyMap<string, Channel>,
  problems: FileProblem[],
): void {
  const oscillators = new Map<string, { key: string; hz: number }>()
  for (const [key, { lo_freq, interm_freq }] of Object.entries(modulation_frequencies)) {
    const path = ['hardware_options', 'modulation_frequencies', key]
    const channel = channels.get(portOf(key))
    if (!channel?.kind.isRf) continue
    const hz = lo_freq ?? undefined
    if (hz === undefined && (interm_freq ?? undefined) === undefined) {
      problems.push({ path, message: 'expected lo_freq or interm_freq' })
    }
    const other = oscillators.get(channel.name)
    if (hz !== undefined && other && other.hz !== hz) {
      const message = `${channel.name} has one oscillator, which ${other.key} sets to ${other.hz} Hz`
      problems.push({ path: [...path, 'lo_freq'], message })
    } else if (hz !== undefined) oscillators.set(channel.name, { key, hz })
  }
}

/** Each port with a clock takes a sequencer of its module. */
function checkSequencers(
  portClocks: readonly PortClock[],
  channels: ReadonlyMap<string, Channel>,
  problems: FileProblem[],
): void {
  const byModule = Map.groupBy(portClocks, ({ port }) => {
    const channel = channels.get(port)
    return channel ? `${channel.cluster}.module${channel.slot}` : ''
  })
  for (const [module, used] of byModule) {
    const channel = channels.get(used[0]?.port ?? '')
    if (!channel || used.length <= channel.kind.sequencers) continue
    const message = `${module} has ${channel.kind.sequencers} sequencers for ${used.length} ports and clocks`
    problems.push({
      path: ['hardware_description', channel.cluster, 'modules', String(channel.slot)],
      message,
    })
  }
}
