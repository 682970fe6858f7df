import { join } from 'node:path'
import { absentOf, skips } from '../faults/prerequisites.ts'

/** The package for devices in Python, as it is in the repository. */
export const SDK_FOLDER = join(import.meta.dir, '../../../drivers/python')

/** Variables with which `python3` finds the package. */
export const PYTHON_ENV = { PYTHONPATH: join(SDK_FOLDER, 'src'), PYTHONDONTWRITEBYTECODE: '1' }

/** Whether to skip tests of devices in Python, which need `python3` and none of its packages. */
export function skipsPython(title: string): boolean {
  return skips(title, absentOf('python3'))
}
