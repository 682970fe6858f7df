import type { Acquisition, PortName, Pulse, Schedule } from '../../../pulse/schedule.ts'

/** What one port plays and records in a schedule, each in the order of time. */
export interface PortSchedule {
  /** Length of the whole schedule, ns. */
  duration: number
  pulses: readonly Indexed<Pulse>[]
  acquisitions: readonly Indexed<Acquisition>[]
}

/** A part of a schedule, with its number among those of its kind. */
type Indexed<Part> = Part & { index: number }

/** Splits a schedule by its ports in one pass: a circuit has thousands of pulses on a dozen of ports. */
export function portSchedulesOf({
  duration,
  pulses,
  acquisitions,
}: Schedule): (port: PortName) => PortSchedule {
  const [played, recorded] = [byPort(pulses), byPort(acquisitions)]
  return (port) => ({ duration, pulses: played.get(port) ?? [], acquisitions: recorded.get(port) ?? [] })
}

function byPort<Part extends { port: PortName; at: number }>(parts: readonly Part[]) {
  const indexed = parts.map((part, index): Indexed<Part> => ({ ...part, index }))
  const groups = Map.groupBy(indexed, ({ port }) => port)
  for (const group of groups.values()) group.sort((one, other) => one.at - other.at)
  return groups
}
