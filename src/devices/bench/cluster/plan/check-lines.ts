import { ProgramError } from '../../../pulse/check-program.ts'
import type { PortName, Program, Pulse } from '../../../pulse/schedule.ts'
import type { ClusterPort } from './cluster-ports.ts'

/** Part of full scale by which rounding may exceed it. */
const TOLERANCE = 1e-9
/** Lengths of windows are multiples of this, ns. */
const WINDOW_STEP_NS = 4

/**
 * Checks what several ports demand of one output: pulses at the same time add up and must stay within its
 * full scale. And windows have a length that modules integrate.
 * @throws ProgramError naming the ports and the point.
 */
export function checkLines({ points }: Program, ports: ReadonlyMap<PortName, ClusterPort>): void {
  const channelOf = (name: PortName) => ports.get(name)?.channel.name ?? name
  const shared = new Set(
    [...Map.groupBy(ports.values(), ({ channel }) => channel.name)]
      .filter(([, members]) => members.length > 1)
      .map(([name]) => name),
  )
  for (const [index, { pulses, acquisitions }] of points.entries()) {
    for (const [at, { duration }] of acquisitions.entries()) {
      if (duration % WINDOW_STEP_NS === 0) continue
      const field = `points[${index}].acquisitions[${at}].duration`
      throw new ProgramError(field, `${duration} ns; windows last a multiple of ${WINDOW_STEP_NS} ns`)
    }
    if (shared.size === 0) continue
    const together = pulses.filter(({ port }) => shared.has(channelOf(port)))
    for (const [channel, members] of Map.groupBy(together, ({ port }) => channelOf(port))) {
      checkSum(members, channel, `points[${index}]`)
    }
  }
}

function checkSum(pulses: readonly Pulse[], channel: string, field: string): void {
  const changes = pulses.flatMap(({ at, duration, amplitude }) => [
    { at, by: amplitude },
    { at: at + duration, by: -amplitude },
  ])
  // At one time, what ends leaves room for what begins.
  changes.sort((a, b) => a.at - b.at || a.by - b.by)
  let sum = 0
  for (const { at, by } of changes) {
    sum += by
    if (sum <= 1 + TOLERANCE) continue
    const names = new Set(
      pulses.filter((each) => each.at <= at && at < each.at + each.duration).map(({ port }) => port),
    )
    const text = `${[...names].join(', ')} play together at ${Number(sum.toFixed(4))} of the full scale of ${channel}`
    throw new ProgramError(field, `${text}; lower their amplitudes or play them after each other`)
  }
}
