import * as v from 'valibot'
import type { Axis, RoutineDeclaration } from '../routine-names.ts'
import { type AxisConfig, axisSchema, keysOf, numberIn } from './axis-config.ts'
import type { RoutineConfig, RoutineEntry } from './calibration-config.ts'

/** Keys of a routine that are neither axes nor settings of its own. */
interface Given extends Record<string, unknown> {
  enabled?: boolean | undefined
  shots?: number | undefined
  timeout_s?: number | undefined
}

const COMMON = {
  enabled: v.optional(v.boolean('expected true or false')),
  shots: v.optional(numberIn({ min: 1, max: 1_000_000, isInteger: true })),
  timeout_s: v.optional(numberIn({ min: 1, max: 172_800 })),
}

/** An axis of a routine of one's own, which checks its values itself. */
const ANY_AXIS: Axis = { unit: '', min: -1e15, max: 1e15 }

/** The form of a routine in the file, with what holds for some targets alone. */
export function routineSchema(
  routine: RoutineDeclaration,
  isBuiltIn: boolean,
): v.GenericSchema<unknown, RoutineEntry> {
  const entries = { ...COMMON, ...settingsOf(routine) }
  const axes = Object.fromEntries(
    Object.entries(routine.axes).map(([name, axis]) => [name, v.optional(axisSchema(axis))]),
  )
  const withKeys = (more: v.ObjectEntries) =>
    (isBuiltIn
      ? keysOf({ ...entries, ...axes, ...more })
      : v.objectWithRest({ ...entries, ...more }, axisSchema(ANY_AXIS))) as v.GenericSchema<unknown, Given>
  const byTarget = v.record(
    v.string(),
    v.pipe(
      withKeys({}),
      v.transform((given) => configOf(routine, given)),
    ),
    'expected names of targets with their settings',
  )
  return v.pipe(
    withKeys({ targets: v.optional(byTarget, {}) }),
    v.transform(({ targets, ...given }): RoutineEntry => {
      const own = Object.entries(targets as Record<string, RoutineConfig>)
      return { ...configOf(routine, given), targets: new Map(own) }
    }),
  )
}

function settingsOf({ numbers = {}, choices = {} }: RoutineDeclaration): v.ObjectEntries {
  const settings = Object.entries(numbers).flatMap(([name, { aliases = [], ...limits }]) =>
    [name, ...aliases].map((each) => [each, v.optional(numberIn(limits))]),
  )
  const words = Object.entries(choices).map(([name, allowed]) => [
    name,
    v.optional(v.picklist(allowed, `expected one of ${allowed.join(', ')}`)),
  ])
  return Object.fromEntries([...settings, ...words]) as v.ObjectEntries
}

function configOf({ numbers = {}, choices = {} }: RoutineDeclaration, given: Given): RoutineConfig {
  const { enabled, shots, timeout_s: timeoutS, ...rest } = given
  const config = {
    axes: {} as Record<string, AxisConfig>,
    numbers: {} as Record<string, number>,
    choices: {} as Record<string, string>,
  }
  const nameOf = new Map(
    Object.entries(numbers).flatMap(([name, { aliases = [] }]) =>
      [name, ...aliases].map((each) => [each, name] as const),
    ),
  )
  for (const [key, value] of Object.entries(rest)) {
    if (value === undefined) continue
    const number = nameOf.get(key)
    if (number !== undefined) config.numbers[number] = value as number
    else if (key in choices) config.choices[key] = value as string
    else config.axes[key] = value as AxisConfig
  }
  return { enabled, shots, timeoutS, ...config }
}
