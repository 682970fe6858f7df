import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { StartupError } from '../errors.ts'

/** Where to look for Python. */
interface PythonPlace {
  /** `--python`: an interpreter or the folder of a virtual environment; empty when not given. */
  given: string
  /** Folder of the program that was started, whose environment comes first; empty when unknown. */
  beside: string
  /** Base folder of a relative `given`. */
  cwd: string
  /** Folders of programs, as the variable `PATH`. */
  path: string
}

/**
 * The interpreter for devices in Python: the given one, else the one beside the program, else that of `PATH`;
 * undefined when there is none.
 * @throws StartupError when one is given that does not exist.
 */
export function findPython({ given, beside, cwd, path }: PythonPlace): string | undefined {
  if (given !== '') return givenPython(given, resolve(cwd, given))
  const folders = [beside, ...path.split(delimiter)].filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, 'python3')).find(isProgram)
}

function givenPython(given: string, absolute: string): string {
  const found = [absolute, join(absolute, 'bin/python3'), join(absolute, 'bin/python')].find(isProgram)
  if (found !== undefined) return found
  throw new StartupError(
    `bad value for --python: ${given} is neither an interpreter nor the folder of a virtual environment`,
  )
}

function isProgram(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
