import { nearest } from '../../../base/index.ts'
import type { FileProblem } from '../files/yaml-text.ts'
import { clustersOf, type HardwareContent, UNAVAILABLE_OPTIONS } from './hardware-schema.ts'
import { isModuleName, MODULE_KINDS, type ModuleKind, type ModuleName } from './modules.ts'

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

/** What a hardware file connects. */
export interface Connections {
  /** By port. */
  channels: ReadonlyMap<string, Channel>
  inputs: ReadonlyMap<string, Channel>
  /** Ports that are not played, each with the reason. */
  obstacles: ReadonlyMap<string, string>
}

/**
 * The channel of each port, which is an input for ports without an output, and all inputs of the file. A port
 * that an instrument which is not used drives, alone or together with a cluster, has an obstacle instead.
 */
export function connectionsOf(content: HardwareContent, problems: FileProblem[]): Connections {
  const found = { channels: new Map<string, Channel>(), inputs: new Map<string, Channel>() }
  const obstacles = new Map<string, string>()
  for (const [index, [name, given]] of content.connectivity.graph.entries()) {
    const path = ['connectivity', 'graph', index]
    const source = sourceNamed(name, content)
    if ('problem' in source) {
      problems.push({ path: [...path, 0], message: source.problem })
      continue
    }
    const ends = [given].flat()
    const ports = ends.filter((end) => !TERMINAL.test(end))
    if ('obstacle' in source) for (const port of ports) obstacles.set(port, source.obstacle)
    const messages = [
      ...ends.filter((end) => TERMINAL.test(end)).map((end) => problemOfTerminal(end, content)),
      ...('obstacle' in source ? [] : ports.map((port) => connect(port, source, found))),
    ].filter((message) => message !== undefined)
    problems.push(...messages.map((message) => ({ path: [...path, 1], message })))
  }
  const unavailable = unavailableOptions(content).filter(([port]) => found.channels.has(port))
  for (const [port, reason] of unavailable) obstacles.set(port, reason)
  const isPlayed = ([port]: readonly [string, unknown]) => !obstacles.has(port)
  return {
    channels: new Map([...found.channels].filter(isPlayed)),
    inputs: new Map([...found.inputs].filter(isPlayed)),
    obstacles,
  }
}

/** Connects a port; returns why it cannot. */
function connect(
  port: string,
  channel: Channel,
  { channels, inputs }: { channels: Map<string, Channel>; inputs: Map<string, Channel> },
): string | undefined {
  const problem = misconnectionOf(port, channel, channels.get(port))
  if (problem === undefined && (isOutput(channel) || !channels.has(port))) channels.set(port, channel)
  if (!isOutput(channel)) inputs.set(port, channel)
  return problem
}

/** The instruments and modules of a file that are not used, by path. */
export function unusedInstruments(content: HardwareContent): string[] {
  const clusters = clustersOf(content)
  const others = Object.entries(content.hardware_description).flatMap(([name, { instrument_type }]) =>
    clusters.has(name) ? [] : [`hardware_description.${name} (${instrument_type})`],
  )
  const modules = [...clusters].flatMap(([name, cluster]) =>
    Object.entries(cluster.modules).flatMap(([slot, { instrument_type }]) =>
      isModuleName(instrument_type)
        ? []
        : [`hardware_description.${name}.modules.${slot} (${instrument_type})`],
    ),
  )
  return [...others, ...modules]
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

/** A digital output switches something on and off; it plays no pulses. */
const DIGITAL = /^digital_output_\d+$/

/** The channel with this name, the obstacle for ports on it, or the reason why there is no such channel. */
function sourceNamed(
  name: string,
  content: HardwareContent,
): Channel | { obstacle: string } | { problem: string } {
  const [instrument = ''] = name.split('.', 1)
  const clusters = clustersOf(content)
  const other = clusters.has(instrument) ? undefined : content.hardware_description[instrument]
  if (other && name.includes('.')) {
    return { obstacle: `it is on ${instrument} (${other.instrument_type}), which is not used` }
  }
  const [, cluster = '', slot = '', channel = ''] = /^([^.]+)\.module(\d+)\.(\w+)$/.exec(name) ?? []
  if (cluster === '') {
    return { problem: `expected a channel such as cluster0.module2.complex_output_0, got ${name}` }
  }
  const module = clusters.get(cluster)?.modules[slot]?.instrument_type
  if (module === undefined) return { problem: `hardware_description has no module ${slot} of ${cluster}` }
  if (!isModuleName(module)) {
    return { obstacle: `it is on module ${slot} of ${cluster} (${module}), which is not used` }
  }
  if (DIGITAL.test(channel)) return { obstacle: `${name} is a digital output, which plays no pulses` }
  const kind: ModuleKind = MODULE_KINDS[module]
  const known = [...kind.outputs, ...kind.inputs]
  if (known.includes(channel)) return { name, cluster, slot: Number(slot), module, channel, kind }
  const guess = nearest(channel, known)
  return {
    problem: `a ${module} has no channel ${channel}; it has ${known.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`,
  }
}

/** A connection that ends at a terminal of another instrument, such as `mixer0.if`, rather than at a port. */
const TERMINAL = /^([^.:]+)\.[^:]+$/

function problemOfTerminal(name: string, { hardware_description }: HardwareContent): string | undefined {
  const [instrument = ''] = name.split('.', 1)
  return hardware_description[instrument] ? undefined : `hardware_description has no ${instrument}`
}

/** Ports whose options ask for what is not available. */
function unavailableOptions({
  hardware_options: options,
}: HardwareContent): [port: string, reason: string][] {
  return UNAVAILABLE_OPTIONS.flatMap(({ option, key, reason }) =>
    Object.entries(options[option]).flatMap(([portClock, given]): [string, string][] => {
      const value = (given as Record<string, unknown>)[key]
      if (value === undefined || value === null) return []
      return [[portOf(portClock), `hardware_options.${option}.${portClock}.${key}: ${reason}`]]
    }),
  )
}

/** The port of `q0:mw-q0.01`. */
export function portOf(portClock: string): string {
  return portClock.slice(0, portClock.indexOf('-', portClock.indexOf(':')))
}
