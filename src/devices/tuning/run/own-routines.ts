import { isAbsolute, resolve } from 'node:path'
import { messageOf } from '../../../base/index.ts'
import { CalibrationError } from '../../errors.ts'
import type { CalibrationConfig } from '../config/calibration-config.ts'
import type { Routine } from '../routine.ts'
import { routineNamed } from '../routine-names.ts'

/**
 * Imports the routines of one's own that a `calibration.yml` names: `./file.ts#export`, relative to the
 * folder of the file; without `#export`, the default export. Returns them with the configuration in which
 * their entries stand under their names.
 * @throws CalibrationError for a module that cannot be imported, an export that is no routine, and a name
 *   that another routine has.
 */
export async function importRoutines(
  config: CalibrationConfig,
  folder: string,
): Promise<{ own: Routine[]; config: CalibrationConfig }> {
  const routines = new Map(config.routines)
  const own = new Map<string, Routine>()
  for (const [path, after] of config.ownRoutines) {
    const found = await importRoutine(path, folder)
    if (routineNamed(found.name) || own.has(found.name)) {
      throw new CalibrationError(
        `routines.${path}: another routine has the name ${found.name}; choose another name in defineRoutine()`,
      )
    }
    own.set(found.name, { ...found, dependsOn: [...new Set([...found.dependsOn, ...after])] })
    const entry = routines.get(path)
    if (entry) routines.set(found.name, entry)
    routines.delete(path)
  }
  return { own: [...own.values()], config: { ...config, routines } }
}

async function importRoutine(importPath: string, folder: string): Promise<Routine> {
  const [path = '', exportName = 'default'] = importPath.split('#')
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
