import { checkProgram, ProgramError } from '../../../pulse/check-program.ts'
import type { PortName, Program } from '../../../pulse/schedule.ts'
import type { CompiledRun, Ports } from './compiled-run.ts'
import { pauseOf } from './point-block.ts'
import { portSchedulesOf } from './port-schedules.ts'
import { PortWriter } from './port-writer.ts'

/**
 * Compiles a program to sequences: a loop over the shots, within it all points. Programs whose instructions,
 * waveforms or bins exceed a sequencer, and points whose acquisitions differ in length, become several runs.
 * Mean values share one bin for all shots; `shots` has a bin each; a `trace` is one run a point.
 *
 * Its cost is linear in the pulses of the program.
 * @throws ProgramError for a program that no cluster can play, naming the point.
 */
export function* compileProgram(program: Program, ports: Ports): Generator<CompiledRun> {
  checkProgram(program)
  const names = portsOf(program)
  let first = 0
  while (first < program.points.length) {
    const { writers, end } = fill(program, names, ports, first)
    yield* runsOf(program, writers, first, end)
    first = end
  }
}

/** Adds points to sequences from `first` on, until one does not fit. */
function fill(program: Program, names: readonly PortName[], ports: Ports, first: number) {
  const most = program.kind === 'trace' ? first + 1 : program.points.length
  const writers = names.map((name) => new PortWriter(name, program, ports))
  let end = first
  for (let schedule = program.points[end]; schedule && end < most; schedule = program.points[end]) {
    const scheduleOf = portSchedulesOf(schedule)
    const drafts = writers.map((writer) => ({ writer, draft: writer.draft(scheduleOf(writer.port), end) }))
    const problem = drafts.map(({ writer, draft }) => writer.problemWith(draft)).find(Boolean)
    if (problem !== undefined && end === first) throw new ProgramError(`points[${end}]`, problem)
    for (const { writer, draft } of drafts) {
      if (problem === undefined) writer.add(draft)
      else writer.discard(draft)
    }
    if (problem !== undefined) break
    end += 1
  }
  return { writers, end }
}

function* runsOf(
  program: Program,
  writers: readonly PortWriter[],
  first: number,
  end: number,
): Generator<CompiledRun> {
  const duration = program.points.slice(first, end).reduce((sum, point) => sum + point.duration, 0)
  const repetitionNs = duration + (end - first) * pauseOf(program.reset_ns)
  const most = Math.min(program.shots, ...writers.map(({ maxShots }) => maxShots))
  for (let firstShot = 0; firstShot < program.shots; firstShot += most) {
    const shots = Math.min(most, program.shots - firstShot)
    const compiled = writers.map((writer) => [writer.port, writer.sequence(shots)] as const)
    yield { shots, firstShot, repetitionNs, ports: new Map(compiled) }
  }
}

/** All ports of a program, in the order of their first use. */
function portsOf({ points }: Program): PortName[] {
  const names = new Set<PortName>()
  for (const { pulses, acquisitions } of points) {
    for (const { port } of pulses) names.add(port)
    for (const { port } of acquisitions) names.add(port)
  }
  return [...names]
}
