import type { Acquisitions } from '../../bench/instrument.ts'
import { later, type Program, type Schedule } from '../../pulse/schedule.ts'
import { GRID_NS } from '../measure/accept.ts'

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

/**
 * Schedules that are read at the same time: the others begin later. The tones of a line disturb each other
 * while they overlap, which would make a step in a sweep of the length of some.
 */
function joinSchedules(schedules: readonly Schedule[]): Schedule {
  const reads = schedules.map(({ acquisitions }) => acquisitions.at(-1)?.at ?? 0)
  const last = Math.max(...reads)
  const joined = schedules.map((schedule, at) => {
    const by = GRID_NS * Math.floor((last - (reads[at] ?? 0)) / GRID_NS)
    return by === 0 ? schedule : later(schedule, by)
  })
  return {
    duration: Math.max(...joined.map(({ duration }) => duration)),
    pulses: joined.flatMap(({ pulses }) => pulses),
    acquisitions: joined.flatMap(({ acquisitions }) => acquisitions),
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
