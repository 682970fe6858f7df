import { type AxisConfig, mergeAxis } from './axis-config.ts'

/** What `calibration.yml` says of a routine; what it leaves out is derived. */
export interface RoutineConfig {
  enabled?: boolean | undefined
  shots?: number | undefined
  /** Time limit of one run on one target, s. */
  timeoutS?: number | undefined
  axes: Readonly<Record<string, AxisConfig>>
  numbers: Readonly<Record<string, number>>
  choices: Readonly<Record<string, string>>
}

/** The same with what holds for some targets alone. */
export interface RoutineEntry extends RoutineConfig {
  targets: ReadonlyMap<string, RoutineConfig>
}

/** The place of a routine of one's own. */
export interface OwnRoutineEntry {
  /** The routines that it comes after, beside those that it names itself. */
  after: readonly string[]
  /** The built-in routine whose name and place it takes. */
  replaces?: string | undefined
}

/** Sizes of the benchmarks of a drift check. */
export interface MonitoringConfig {
  rbDepths: readonly number[]
  rbSeeds: number
  shots: number
  allXy: boolean
}

/** Which targets are calibrated at the same time. */
export interface ParallelConfig {
  enabled: boolean
  /** Least distance of two qubits of a group, in edges. */
  qubitSpacing: number
  /** Least number of edges between two edges of a group. */
  edgeSpacing: number
  maxGroup: number
  /** Lists of targets that are never in one group. */
  exclude: readonly (readonly string[])[]
  /** Groups by name, instead of those that follow from the distances. */
  groups: Readonly<Record<string, readonly string[]>>
  /** Whether benchmarks are repeated one by one, to report what calibrating together costs. */
  measurePenalty: boolean
}

/** A valid `calibration.yml` for one chip. */
export interface CalibrationConfig {
  targetQubits: readonly string[]
  targetEdges: readonly string[]
  /** Time limit of a routine on one target, s. */
  routineTimeoutS: number
  /** How often a sweep is repeated with another range. */
  maxAttempts: number
  /**
   * By name, routines of one's own by import path; a routine that is absent is enabled, with derived ranges.
   */
  routines: ReadonlyMap<string, RoutineEntry>
  /** Routines of one's own by import path. */
  ownRoutines: ReadonlyMap<string, OwnRoutineEntry>
  /** Paths of the parameters that are never written, by target. */
  pinned: ReadonlyMap<string, readonly string[]>
  safety: {
    /** Wait after each step of a coupler current, s. */
    pauseAfterStepS: number
  }
  /** Whether shots may begin with a reading instead of a long wait. */
  heralding: boolean
  monitoring: MonitoringConfig
  parallel: ParallelConfig
  /** What the report should mention: accepted aliases, targets that the chip does not have. */
  notes: readonly string[]
}

const NOTHING: RoutineConfig = { axes: {}, numbers: {}, choices: {} }

/** What the file says of a routine on one target. */
export function routineConfigFor(
  { routines }: Pick<CalibrationConfig, 'routines'>,
  routine: string,
  target: string,
): RoutineConfig & { enabled: boolean } {
  const all = routines.get(routine)
  const own = all?.targets.get(target) ?? NOTHING
  const { enabled, shots, timeoutS, axes, numbers, choices } = all ?? NOTHING
  const names = [...new Set([...Object.keys(axes), ...Object.keys(own.axes)])]
  return {
    enabled: own.enabled ?? enabled ?? true,
    shots: own.shots ?? shots,
    timeoutS: own.timeoutS ?? timeoutS,
    axes: Object.fromEntries(names.map((name) => [name, mergeAxis(axes[name], own.axes[name])])),
    numbers: { ...numbers, ...own.numbers },
    choices: { ...choices, ...own.choices },
  }
}

/** Whether a parameter keeps its value whatever is measured. */
export function isPinned(
  { pinned }: Pick<CalibrationConfig, 'pinned'>,
  target: string,
  path: string,
): boolean {
  return [...(pinned.get(target) ?? []), ...(pinned.get('*') ?? [])].some(
    (each) => path === each || path.startsWith(`${each}.`),
  )
}
