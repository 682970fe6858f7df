import { realpathSync } from 'node:fs'
import { nextTurn, sha256 } from '../../../base/index.ts'
import { CalibrationError } from '../../errors.ts'
import { type DeviceFile, readDeviceFile } from '../device-file.ts'
import { readText, stampOf } from '../files/watched-file.ts'
import { isSameContent, type Leaf, type Numbers } from './content.ts'
import { editYaml } from './edit-yaml.ts'
import { replaceFile } from './replace-file.ts'

/** How often a write starts again because another person wrote the file meanwhile. */
const MAX_TRIES = 5

/** A value that a calibration has measured. */
export interface NewValue {
  /** Name of the qubit or edge. */
  element: string
  /** Path of the parameter, such as `clock_freqs.f01`. */
  path: string
  value: Numbers
}

/** What came of a write. */
interface WriteBack {
  written: readonly NewValue[]
  /** Values that another person changed, or whose element is gone: theirs stay. */
  conflicts: readonly NewValue[]
  /** Values of parameters that the element, one of other software, does not know. */
  unknown: readonly NewValue[]
  /** SHA-256 of the file before and after, as 64 hexadecimal digits. */
  before: string
  after: string
}

/**
 * Writes values into a device file: nothing but these values changes, and the file is whole at any moment.
 * The previous file stays as `.prev`. A file that a person edited since `base` was read keeps those edits. No
 * file is written when there is nothing to write. Other work of the process has its turn meanwhile.
 * @param base the file as it was read at the start of the calibration.
 * @throws CalibrationError when the file does not parse anymore or the values do not suit it; nothing is
 *   written then.
 */
export async function writeBack(
  path: string,
  base: DeviceFile,
  values: readonly NewValue[],
): Promise<WriteBack> {
  const real = realPathOf(path)
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const stamp = stampOf(real)
    const file = fileNow(real, base)
    const { leaves, ...planned } = plan(base, file, values)
    const { text } = file.yaml
    const edited = leaves.length > 0 ? await edit(text, leaves) : text
    const result = { ...planned, before: sha256(text), after: sha256(edited) }
    if (edited === text || replaceFile(real, edited, stamp)) return result
  }
  throw new CalibrationError('the device file is being changed by another person; nothing was written')
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    throw new CalibrationError('the device file is gone; nothing was written')
  }
}

function fileNow(real: string, base: DeviceFile): DeviceFile {
  const text = readText(real)
  if (typeof text !== 'string') return refuse('the device file cannot be read', text.problems)
  if (text === base.yaml.text) return base
  const file = readDeviceFile(text)
  return 'problems' in file ? refuse('the device file was changed and is not valid', file.problems) : file
}

interface Plan {
  leaves: Leaf[]
  written: NewValue[]
  conflicts: NewValue[]
  unknown: NewValue[]
}

/** Divides values into those to write, with the keys that lead to them, and those that stay out. */
function plan(base: DeviceFile, file: DeviceFile, values: readonly NewValue[]): Plan {
  const result: Plan = { leaves: [], written: [], conflicts: [], unknown: [] }
  for (const each of values) {
    const [before, now] = [base.chip.element(each.element), file.chip.element(each.element)]
    const isOurs =
      now?.has(each.path) === true && isSameContent(before?.values.get(each.path), now.values.get(each.path))
    if (!isOurs) {
      result.conflicts.push(each)
      continue
    }
    if (!now.holds(each.path)) {
      result.unknown.push(each)
      continue
    }
    result.leaves.push({ path: [each.element, ...now.keysOf(each.path)], value: each.value })
    result.written.push(each)
  }
  return result
}

async function edit(text: string, leaves: readonly Leaf[]): Promise<string> {
  const edited = await editOrRefuse(text, leaves)
  await nextTurn()
  const file = readDeviceFile(edited)
  return 'problems' in file ? refuse('the new values do not suit the device file', file.problems) : edited
}

async function editOrRefuse(text: string, leaves: readonly Leaf[]): Promise<string> {
  try {
    const editing = editYaml(text, leaves)
    for (;;) {
      const { done, value } = editing.next()
      if (done) return value
      await nextTurn()
    }
  } catch (error) {
    return refuse('the device file cannot be edited', [
      error instanceof Error ? error.message : String(error),
    ])
  }
}

function refuse(what: string, problems: readonly string[]): never {
  throw new CalibrationError(`${what}; nothing was written: ${problems.slice(0, 3).join('; ')}`)
}
