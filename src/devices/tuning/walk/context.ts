import { ScheduleBuilder } from '../../pulse/builder.ts'
import type { Heralds } from '../herald.ts'
import {
  type Attempt,
  type ElementReader,
  type Routine,
  type RoutineContext,
  RoutineError,
  type SweepAxis,
  type SweepRange,
} from '../routine.ts'
import { type GivenAxis, resolveAxis } from './axis.ts'
import { movedTo } from './edge-of-sweep.ts'
import type { RunValues } from './run-values.ts'
import { limitOf, refuseBeyond, type SweepLimits, valueText } from './sweep-limits.ts'

/** What `calibration.yml` says of a routine on a target; anything may be absent. */
export interface RoutineSettings {
  readonly shots?: number | undefined
  readonly timeoutS?: number | undefined
  axis(name: string): GivenAxis | undefined
  number(name: string): number | undefined
  /** The word of a choice; without choices, as when absent. */
  choice?(name: string): string | undefined
}

/** Called with every value that a routine reads, for the test of its declaration. */
export type OnRead = (element: string, path: string) => void

interface ContextInput {
  readonly routine: Routine
  readonly target: string
  /** The targets that are measured together; this one alone, if absent. */
  readonly together?: readonly string[] | undefined
  readonly values: RunValues
  readonly settings: RoutineSettings
  readonly attempt: Attempt
  readonly onRead?: OnRead | undefined
  /** Takes each axis that is swept, for the labels of raw data. */
  readonly onSweep?: ((axis: SweepAxis) => void) | undefined
  readonly limits?: SweepLimits | undefined
  /** Takes a remark on the sweep, for the report. */
  readonly onRemark?: ((remark: string) => void) | undefined
  /** Whether two qubits share a readout line and can be read at the same time; no, if absent. */
  readonly sharesLine?: ((one: string, other: string) => boolean) | undefined
  /** What the run knows of shots that begin with a reading; without it, none do. */
  readonly heralds?: Heralds | undefined
  /** What is left of the time limit, s; without it, there is none. */
  readonly secondsLeft?: (() => number) | undefined
}

/** What a qubit needs to be read. */
const READOUT = ['clock_freqs.readout', 'measure.pulse_amp']

/** What a measurement of a routine on a target may read. */
export function contextOf({
  routine,
  target,
  together = [target],
  values,
  settings,
  attempt,
  onRead,
  onSweep,
  limits,
  onRemark,
  sharesLine = () => false,
  heralds,
  secondsLeft = () => Number.POSITIVE_INFINITY,
}: ContextInput): RoutineContext {
  const reading = {
    number(element: string, path: string) {
      onRead?.(element, path)
      return values.number(element, path)
    },
    ends: (edge: string) => values.ends(edge),
  }
  const readerOf = (name: string) => elementReader(name, values, onRead)
  const qubitsOf = (name: string) => (routine.kind === 'edge' ? values.ends(name) : ([name, name] as const))
  const [parent, child] = qubitsOf(target)
  return {
    target,
    attempt,
    secondsLeft,
    heralds,
    self: readerOf(target),
    parent: readerOf(parent),
    child: readerOf(child),
    element: readerOf,
    qubits: values.chip.qubits,
    together: [...new Set(together.flatMap(qubitsOf))].map(readerOf),
    lineMatesOf: (qubit) =>
      values.chip.qubits.filter(
        (other) =>
          other !== qubit &&
          READOUT.every((path) => values.number(other, path) !== undefined) &&
          sharesLine(qubit, other),
      ),
    schedule: () => new ScheduleBuilder(reading),
    axis(name: string, usual: SweepRange | readonly number[], of = target) {
      const derived = movedTo(usual, attempt.around?.[name])
      const given = attempt.number === 1 ? settings.axis(name) : undefined
      const declared = routine.axes[name]
      const base = declared?.relativeTo === undefined ? undefined : values.number(of, declared.relativeTo)
      const limit = declared && limitOf(declared, of, limits, base)
      const { isCut, ...axis } = resolveAxis(name, given, derived, limit)
      onSweep?.(axis)
      if (!limit || !declared || !isCut) return axis
      const [first, last] = [axis.values[0], axis.values.at(-1)]
      if (first === undefined || last === undefined) {
        refuseBeyond(name, [...resolveAxis(name, given, derived).values], declared.unit, limit)
      }
      const text = (value: number) => valueText(value, declared.unit)
      onRemark?.(`${name} swept from ${text(first)} to ${text(last)}, cut to what ${limit.by}`)
      return axis
    },
    shots: (derived: number) => settings.shots ?? Math.ceil((attempt.shotPart ?? 1) * derived),
    setting: (name: string) => settings.number(name) ?? settings.choice?.(name),
  }
}

function elementReader(name: string, values: RunValues, onRead: OnRead | undefined): ElementReader {
  const optional = (path: string) => {
    onRead?.(name, path)
    return values.number(name, path)
  }
  return {
    name,
    optional,
    number(path) {
      const value = optional(path)
      if (value === undefined) throw new RoutineError('not_set', `${name}.${path} is not set`)
      return value
    },
    table(path) {
      onRead?.(name, path)
      const value = values.get(name, path)
      return Array.isArray(value) ? value : undefined
    },
    has: (path) => values.chip.has(name, path),
  }
}
