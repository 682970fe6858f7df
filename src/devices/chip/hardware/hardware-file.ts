import * as v from 'valibot'
import { nearest } from '../../../base/index.ts'
import { type FileProblem, parseYaml } from '../files/yaml-text.ts'
import { type HardwareContent, hardwareFile, OPTION_NAMES } from './hardware-schema.ts'
import { MODULE_KINDS, type ModuleKind, type ModuleName } from './modules.ts'
import { type PortSettings, portSettingsOf } from './port-settings.ts'

/** A channel of a module, to which ports are connected. */
export interface Channel {
  /** `cluster0.module2.complex_output_0`. */
  name: string
  cluster: string
  slot: number
  module: ModuleName
  /** `complex_output_0`. */
  channel: string
  kind: ModuleKind
}

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
  /** Options that are accepted and not used, by path. */
  unused: readonly string[]
}

/** Reads a `scheduler.hardware.json` (or YAML); returns all problems of an invalid text, one line each. */
export function readHardwareFile(text: string): Hardware | { problems: string[] } {
  const yaml = parseYaml(text)
  if ('problems' in yaml) return yaml
  const parsed = v.safeParse(hardwareFile, yaml.content)
  if (!parsed.success) {
    return {
      problems: yaml.describe(
        parsed.issues.map(({ path = [], message, input }) => ({
          path: path.map(({ key }) => key as string | number),
          message: input === undefined ? `missing; ${message}` : `${message}, got ${shown(input)}`,
        })),
      ),
    }
  }
  const content = parsed.output
  const problems: FileProblem[] = []
  const { channels, inputs } = channelsOf(content, problems)
  const portClocks = portClocksOf(content, channels, problems)
  checkOscillators(content, channels, problems)
  checkSequencers(portClocks, channels, problems)
  const settings = portSettingsOf(content.hardware_options, channels, problems)
  if (problems.length > 0) return { problems: yaml.describe(problems) }
  return hardwareOf(content, { channels, inputs, settings, portClocks })
}

/** What a file connects. */
interface Connections {
  channels: ReadonlyMap<string, Channel>
  inputs: ReadonlyMap<string, Channel>
  settings: ReadonlyMap<string, PortSettings>
  portClocks: readonly PortClock[]
}

function hardwareOf(
  { hardware_description, hardware_options }: HardwareContent,
  { channels, inputs, settings, portClocks }: Connections,
): Hardware {
  const options = hardware_options
  return {
    clusters: Object.entries(hardware_description).map(([name, { ip, module_base_port, ref, modules }]) => ({
      ...{ name, address: ip ?? undefined, moduleBase: module_base_port ?? undefined, reference: ref },
      modules: new Map(Object.entries(modules).map(([slot, each]) => [Number(slot), each.instrument_type])),
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
    unused: Object.keys(options)
      .filter((name) => !OPTION_NAMES.has(name))
      .map((name) => `hardware_options.${name}`),
  }
}

/** The channel of each port, which is an input for ports without an output, and all inputs of the file. */
function channelsOf(content: HardwareContent, problems: FileProblem[]) {
  const channels = new Map<string, Channel>()
  const inputs = new Map<string, Channel>()
  for (const [index, [name, given]] of content.connectivity.graph.entries()) {
    const path = ['connectivity', 'graph', index]
    const channel = channelNamed(name, content)
    if (typeof channel === 'string') {
      problems.push({ path: [...path, 0], message: channel })
      continue
    }
    for (const port of [given].flat()) {
      const message = misconnectionOf(port, channel, channels.get(port))
      if (message !== undefined) problems.push({ path: [...path, 1], message })
      else if (isOutput(channel) || !channels.has(port)) channels.set(port, channel)
      if (!isOutput(channel)) inputs.set(port, channel)
    }
  }
  return { channels, inputs }
}

/** The first input of the module of an output. */
function defaultInput(output: Channel | undefined): Channel | undefined {
  const channel = output?.kind.inputs[0]
  if (!output || channel === undefined) return undefined
  return { ...output, name: `${output.cluster}.module${output.slot}.${channel}`, channel }
}

/** Why a port cannot be on a channel, if it is on another one already or needs another kind. */
function misconnectionOf(port: string, channel: Channel, other: Channel | undefined): string | undefined {
  if (other && other.name !== channel.name && isOutput(other) === isOutput(channel)) {
    return `${port} is connected to ${other.name} already`
  }
  if (port.endsWith(':fl') || channel.channel.startsWith('complex_')) return undefined
  return `${port} plays complex pulses and needs a complex channel, not ${channel.channel}`
}

function isOutput({ channel }: Channel): boolean {
  return channel.includes('_output_')
}

/** The channel with this name, or the reason it cannot be used. */
function channelNamed(name: string, { hardware_description }: HardwareContent): Channel | string {
  const [, cluster = '', slot = '', channel = ''] = /^([^.]+)\.module(\d+)\.(\w+)$/.exec(name) ?? []
  if (cluster === '') return `expected a channel such as cluster0.module2.complex_output_0, got ${name}`
  const module = hardware_description[cluster]?.modules[slot]?.instrument_type
  if (module === undefined) return `hardware_description has no module ${slot} of ${cluster}`
  const kind: ModuleKind = MODULE_KINDS[module]
  const known = [...kind.outputs, ...kind.inputs]
  if (known.includes(channel)) return { name, cluster, slot: Number(slot), module, channel, kind }
  const guess = nearest(channel, known)
  return `a ${module} has no channel ${channel}; it has ${known.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`
}

interface PortClock {
  port: string
  clock: string
}

/** The ports with clocks of all options; their ports have to be connected. */
function portClocksOf(
  { hardware_options: options }: HardwareContent,
  channels: ReadonlyMap<string, Channel>,
  problems: FileProblem[],
): readonly PortClock[] {
  const found = new Map<string, PortClock>()
  for (const name of OPTION_NAMES) {
    for (const key of Object.keys((options[name] ?? {}) as object)) {
      const at = key.indexOf('-', key.indexOf(':'))
      const portClock = { port: key.slice(0, at), clock: key.slice(at + 1) }
      if (channels.has(portClock.port)) found.set(key, portClock)
      else {
        const guess = nearest(portClock.port, [...channels.keys()])
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
    const channel = channels.get(key.slice(0, key.indexOf('-', key.indexOf(':'))))
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

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
