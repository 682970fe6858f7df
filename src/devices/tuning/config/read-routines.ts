import * as v from 'valibot'
import type { Chip } from '../../chip/device-file.ts'
import { isFields } from '../../chip/elements/element-type.ts'
import { ABSENT_ROUTINES, ROUTINES, type RoutineDeclaration, routineNamed } from '../routine-names.ts'
import type { AxisRange } from './axis-config.ts'
import {
  type CalibrationConfig,
  type OwnRoutineEntry,
  type RoutineEntry,
  routineConfigFor,
} from './calibration-config.ts'
import { type ConfigRemarks, guessOf, problemsOf } from './config-problems.ts'
import { routineSchema } from './routine-schema.ts'

interface RoutinesInput {
  given: Readonly<Record<string, unknown>>
  targetEdges: readonly string[]
  chip: Chip
}

/** What a file says of routines: built-in ones by name, those of one's own by import path. */
type RoutinesRead = Pick<CalibrationConfig, 'routines' | 'ownRoutines'>

/** A key that names a module rather than a routine: `./my-node.ts#spinLock`, or in Python `lab.cpmg:Cpmg`. */
const IMPORT_PATH = /[/#:]/

const names = v.union(
  [
    v.pipe(
      v.string(),
      v.transform((name) => [name]),
    ),
    v.array(v.string()),
  ],
  'expected the name of a routine, or a list of names',
)

/** Reads the entries of routines by their declarations; those with problems are left out. */
export function readRoutines(
  { given, targetEdges, chip }: RoutinesInput,
  remarks: ConfigRemarks,
): RoutinesRead {
  const routines = new Map<string, RoutineEntry>()
  const ownRoutines = new Map<string, OwnRoutineEntry>()
  const names = namesIn(given, remarks)
  for (const [key, name] of names) {
    const isOwn = IMPORT_PATH.test(name)
    const declaration = routineNamed(name) ?? { name, kind: 'qubit' as const, aliases: [], axes: {} }
    const { after, replaces, ...rest } = isOwn && isFields(given[key]) ? given[key] : NO_PLACE
    if (isOwn) {
      const replaced = replacedBy(key, replaces, { names, ownRoutines }, remarks)
      ownRoutines.set(name, { after: afterOf(key, after, remarks), replaces: replaced })
    }
    const content = isOwn && isFields(given[key]) ? rest : (given[key] ?? {})
    const parsed = v.safeParse(routineSchema(declaration, !isOwn), content)
    if (!parsed.success) {
      remarks.problems.push(...problemsOf(parsed.issues, ['routines', key]))
      continue
    }
    routines.set(name, parsed.output)
    checkTargets(parsed.output, { key, declaration, isBuiltIn: !isOwn }, chip, remarks)
  }
  checkCurrents(routines, given, { targetEdges, chip }, remarks)
  const all = [...ROUTINES.map(({ name }) => name), ...ownRoutines.keys()]
  if (all.every((name) => routines.get(name)?.enabled === false)) {
    remarks.problems.push({
      path: ['routines'],
      message: 'every routine is disabled; there is nothing to run',
    })
  }
  return { routines, ownRoutines }
}

const NO_PLACE = { after: undefined, replaces: undefined }

/** The built-in routine that one of one's own replaces; none other may, and it has no settings beside it. */
function replacedBy(
  key: string,
  replaces: unknown,
  { names, ownRoutines }: Pick<RoutinesRead, 'ownRoutines'> & { names: ReadonlyMap<string, string> },
  { problems }: ConfigRemarks,
): string | undefined {
  if (replaces === undefined) return undefined
  const found = typeof replaces === 'string' ? routineNamed(replaces)?.name : undefined
  const isTaken = [...ownRoutines.values()].some((each) => each.replaces === found)
  const message =
    found === undefined
      ? unknownRoutine(String(replaces))
      : isTaken
        ? `${found} is replaced by another routine already`
        : [...names.values()].includes(found)
          ? `${found} has an entry of its own; move its settings here`
          : undefined
  if (message !== undefined) problems.push({ path: ['routines', key, 'replaces'], message })
  return found
}

/** The routines that one of one's own comes after, beside those that it names itself. */
function afterOf(key: string, after: unknown, { problems }: ConfigRemarks): string[] {
  const parsed = v.safeParse(v.optional(names, []), after)
  if (!parsed.success) {
    problems.push(...problemsOf(parsed.issues.slice(0, 1), ['routines', key, 'after']))
    return []
  }
  return parsed.output.flatMap((name) => {
    const found = routineNamed(name)
    if (!found) problems.push({ path: ['routines', key, 'after'], message: unknownRoutine(name) })
    return found ? [found.name] : []
  })
}

/** The routine of each key that has one, by name or import path; reports the others. */
function namesIn(
  given: Readonly<Record<string, unknown>>,
  { problems, notes }: ConfigRemarks,
): ReadonlyMap<string, string> {
  const keyOf = new Map<string, string>()
  for (const key of Object.keys(given)) {
    const path = ['routines', key]
    const name = IMPORT_PATH.test(key) ? key : routineNamed(key)?.name
    if (Object.hasOwn(ABSENT_ROUTINES, key))
      notes.push(`routines.${key} is left out: ${ABSENT_ROUTINES[key]}`)
    else if (name === undefined) problems.push({ path, message: unknownRoutine(key) })
    else if (!keyOf.has(name)) keyOf.set(name, key)
    else if (isTwin(key, keyOf.get(name)))
      notes.push(`routines.allxy and allxy_check are one routine, ${name}`)
    else problems.push({ path, message: `the same routine as ${keyOf.get(name)}; remove one of them` })
  }
  const aliased = [...keyOf].filter(([name, key]) => key !== name)
  notes.push(...aliased.map(([name, key]) => `routines.${key} is read as ${name}`))
  return new Map([...keyOf].map(([name, key]) => [key, name]))
}

/** Other calibration software has the measurement and its check as two routines. */
function isTwin(key: string, other: string | undefined): boolean {
  return [key, other].every((each) => each === 'allxy' || each === 'allxy_check')
}

function unknownRoutine(key: string): string {
  const all = ROUTINES.map(({ name }) => name)
  const guess = guessOf(key, [...all, ...ROUTINES.flatMap(({ aliases }) => aliases)])
  return `unknown routine${guess === '' ? `; there are ${all.join(', ')}` : guess}`
}

/** Targets have to be of the kind of the routine; those that the chip does not have are left out. */
function checkTargets(
  { targets }: RoutineEntry,
  { key, declaration, isBuiltIn }: { key: string; declaration: RoutineDeclaration; isBuiltIn: boolean },
  chip: Chip,
  { problems, notes }: ConfigRemarks,
): void {
  const kind = declaration.kind === 'edge' ? 'edge' : 'qubit'
  const names = [...chip.qubits, ...chip.edges].map(({ name }) => name)
  for (const target of targets.keys()) {
    const element = chip.element(target)
    if (!element) {
      notes.push(`routines.${key}: the chip has no ${target}${guessOf(target, names)}; it is left out`)
    } else if (isBuiltIn && element.kind !== kind) {
      const message = `${declaration.name} is a routine of ${kind}s, and ${target} is not one`
      problems.push({ path: ['routines', key, 'targets', target], message })
    }
  }
}

/** Currents have to be within the limit of each edge that they are swept on. */
function checkCurrents(
  routines: ReadonlyMap<string, RoutineEntry>,
  given: Readonly<Record<string, unknown>>,
  { targetEdges, chip }: { targetEdges: readonly string[]; chip: Chip },
  { problems }: ConfigRemarks,
): void {
  const routine = 'coupler_anticrossing'
  if (!(routine in given)) return
  for (const { name, get } of chip.edges.filter((edge) => targetEdges.includes(edge.name))) {
    const limit = get('bias.limit')
    const range = routineConfigFor({ routines }, routine, name).axes['current']?.range
    const beyond = extremesOf(range).find((amps) => Math.abs(amps) > limit)
    if (beyond === undefined) continue
    const isOwn = routines.get(routine)?.targets.get(name)?.axes['current'] !== undefined
    problems.push({
      path: ['routines', routine, ...(isOwn ? ['targets', name] : []), 'current'],
      message: `${beyond} A is beyond the limit of ${name}, ${limit} A (bias.limit in the device file)`,
    })
  }
}

function extremesOf(range: AxisRange | undefined): readonly number[] {
  if (range?.kind === 'interval') return [range.start, range.stop]
  if (range?.kind === 'values') return range.values
  if (range?.kind !== 'around') return []
  const half = (range.span ?? 0) / 2
  return [(range.center ?? 0) - half, (range.center ?? 0) + half]
}
