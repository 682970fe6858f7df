import type { Acquisitions } from '../../bench/instrument.ts'
import type { Program, Schedule } from '../../pulse/schedule.ts'

/**
 * Joins programs of different qubits so that they run at the same time, point by point. Undefined when they
 * differ in kind, shots, reset or number of points, or use a port twice.
 */
export function fusePrograms(programs: readonly Program[]): Program | undefined {
  const [first] = programs
  if (!first) return undefined
  const isAlike = programs.every(
    ({ kind, shots, reset_ns, points }) =>
      kind === first.kind &&
      shots === first.shots &&
      reset_ns === first.reset_ns &&
      points.length === first.points.length,
  )
  if (!isAlike || sharesPorts(programs)) return undefined
  const points = first.points.map((_, at) =>
    joinSchedules(programs.flatMap(({ points: all }) => all[at] ?? [])),
  )
  return { ...first, points }
}

function joinSchedules(schedules: readonly Schedule[]): Schedule {
  return {
    duration: Math.max(...schedules.map(({ duration }) => duration)),
    pulses: schedules.flatMap(({ pulses }) => pulses),
    acquisitions: schedules.flatMap(({ acquisitions }) => acquisitions),
  }
}

function sharesPorts(programs: readonly Program[]): boolean {
  const seen = new Set<string>()
  for (const { points } of programs) {
    const own = new Set(points.flatMap(({ pulses }) => pulses.map(({ port }) => port)))
    if ([...own].some((port) => seen.has(port))) return true
    for (const port of own) seen.add(port)
  }
  return false
}

/** The acquisitions of each of the joined programs. */
export function splitAcquisitions(programs: readonly Program[], joined: Acquisitions): Acquisitions[] {
  const taken = joined.map(() => 0)
  return programs.map(({ points }) =>
    joined.map((all, at) => {
      const from = taken[at] ?? 0
      const to = from + (points[at]?.acquisitions.length ?? 0)
      taken[at] = to
      return all.slice(from, to)
    }),
  )
}
