import { isAbsolute, resolve } from 'node:path'
import { messageOf } from '../../../base/index.ts'
import { CalibrationError } from '../../errors.ts'
import type { CalibrationConfig, OwnRoutineEntry } from '../config/calibration-config.ts'
import type { PythonRoutines } from '../python-routines/open-routines.ts'
import type { Routine } from '../routine.ts'
import { routineNamed } from '../routine-names.ts'

/** What imports the routines that a file names. */
interface Importers {
  /** Makes `svc/devices` importable. */
  provideSdk(): Promise<void>
  /**
   * Imports routines in Python, from modules of a folder before others.
   * @throws CalibrationError when that is not possible.
   */
  openPython(paths: readonly string[], folder: string): Promise<PythonRoutines>
}

/** All routines of a run, and the configuration in which entries of one's own stand under their names. */
interface RunRoutines extends Disposable {
  readonly routines: readonly Routine[]
  readonly config: CalibrationConfig
  /** Import paths of modules that are not in Python. */
  readonly modules: readonly string[]
  readonly pythonFiles: Readonly<Record<string, string>> | undefined
  /** Remarks for the report. */
  readonly notes: readonly string[]
}

const PYTHON_PATH = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*$/

/**
 * Imports the routines of one's own that a `calibration.yml` names and joins them with the built-in ones:
 * `./file.ts#export`, relative to the folder of the file, without `#export` the default export; and
 * `module:Class` of Python.
 * @throws CalibrationError for a module that cannot be imported, an export that is no routine, a name that
 *   another routine has, and a routine that does not find what the one finds which it replaces.
 */
export async function importRoutines(
  builtIn: readonly Routine[],
  config: CalibrationConfig,
  folder: string,
  { provideSdk, openPython }: Importers,
): Promise<RunRoutines> {
  const paths = [...config.ownRoutines.keys()]
  const inPython = paths.filter((path) => PYTHON_PATH.test(path))
  const modules = paths.filter((path) => !inPython.includes(path))
  if (modules.length > 0) await provideSdk()
  const imported = new Map<string, Routine>()
  for (const path of modules) imported.set(path, await importRoutine(path, folder))
  const python = inPython.length > 0 ? await openPython(inPython, folder) : undefined
  try {
    for (const [path, routine] of python?.routines ?? []) imported.set(path, routine)
    return {
      ...joined(builtIn, imported, config),
      modules,
      pythonFiles: python?.files,
      [Symbol.dispose]: () => python?.close(),
    }
  } catch (error) {
    python?.close()
    throw error
  }
}

function joined(
  builtIn: readonly Routine[],
  imported: ReadonlyMap<string, Routine>,
  config: CalibrationConfig,
) {
  const entries = new Map(config.routines)
  const own = new Map<string, Routine>()
  const notes: string[] = []
  for (const [path, place] of config.ownRoutines) {
    const found = imported.get(path)
    if (!found) throw new CalibrationError(`routines.${path} was not imported`)
    const routine = placed(path, found, place, builtIn)
    if (own.has(routine.name)) throw nameTaken(path, routine.name)
    if (place.replaces !== undefined) notes.push(`routine ${routine.name} is ${path} of the calibration file`)
    own.set(routine.name, routine)
    const entry = entries.get(path)
    if (entry) entries.set(routine.name, entry)
    entries.delete(path)
  }
  const kept = builtIn.map((routine) => own.get(routine.name) ?? routine)
  const added = [...own.values()].filter((routine) => !kept.includes(routine))
  return { routines: [...kept, ...added], config: { ...config, routines: entries }, notes }
}

/** A routine of one's own with its place in the graph. */
function placed(
  path: string,
  found: Routine,
  { after, replaces }: OwnRoutineEntry,
  builtIn: readonly Routine[],
): Routine {
  const dependsOn = [...new Set([...found.dependsOn, ...after])]
  if (replaces === undefined) {
    if (routineNamed(found.name)) throw nameTaken(path, found.name)
    return { ...found, dependsOn }
  }
  const replaced = builtIn.find(({ name }) => name === replaces)
  if (!replaced)
    throw new CalibrationError(`routines.${path}: this tuner has no routine ${replaces} to replace`)
  if (replaced.kind !== found.kind)
    throw new CalibrationError(
      `routines.${path}: it is a routine of the kind ${found.kind}, and ${replaces} of the kind ${replaced.kind}`,
    )
  const finds = [...found.writes, ...found.optionalWrites]
  const missing = [...replaced.writes, ...replaced.optionalWrites].filter((each) => !finds.includes(each))
  if (missing.length > 0 || replaced.isBenchmark !== found.isBenchmark) {
    const all = missing.length > 0 ? missing.join(', ') : replaced.isBenchmark ? 'a benchmark' : 'parameters'
    throw new CalibrationError(`routines.${path}: it does not find what ${replaces} finds: ${all}`)
  }
  const { name, aliases, refiner, isReadAlone } = replaced
  return {
    ...found,
    name,
    aliases,
    refiner,
    isReadAlone,
    dependsOn: [...new Set([...replaced.dependsOn, ...dependsOn])],
  }
}

function nameTaken(path: string, name: string): CalibrationError {
  const remedy = routineNamed(name) ? `, or add replaces: ${name} to take its place` : ''
  return new CalibrationError(
    `routines.${path}: another routine has the name ${name}; choose another name${remedy}`,
  )
}

async function importRoutine(importPath: string, folder: string): Promise<Routine> {
  const [path = '', exportName = 'default'] = importPath.split('#')
  if (/^[^/#]*:/.test(importPath)) {
    throw new CalibrationError(
      `routines.${importPath}: expected module:Class of Python, or a path such as ./file.ts#export`,
    )
  }
  const found = (await load(importPath, isAbsolute(path) ? path : resolve(folder, path)))[exportName]
  if (isRoutine(found)) return found
  throw new CalibrationError(
    `routines.${importPath}: the export ${exportName} is no routine; export the result of defineRoutine()`,
  )
}

async function load(importPath: string, file: string): Promise<Record<string, unknown>> {
  try {
    return await import(file)
  } catch (error) {
    // The importing file of this program is irrelevant to the user.
    const reason = messageOf(error).replace(` imported from ${import.meta.path}`, '')
    throw new CalibrationError(`routines.${importPath} cannot be imported: ${reason}`)
  }
}

/** Whether a value has what `defineRoutine` returns. */
function isRoutine(value: unknown): value is Routine {
  if (typeof value !== 'object' || value === null) return false
  const has = (key: string, type: string) => typeof Reflect.get(value, key) === type
  const lists = ['dependsOn', 'reads', 'priors', 'writes', 'optionalWrites', 'needs']
  return (
    ['name', 'kind'].every((key) => has(key, 'string')) &&
    has('measure', 'function') &&
    lists.every((key) => Array.isArray(Reflect.get(value, key)))
  )
}
