import { existsSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { AppError } from '../../base/index.ts'
import { type Chip, readDeviceFile } from './device-file.ts'
import { readText, stampOf } from './files/watched-file.ts'
import { Provenance } from './provenance/provenance.ts'
import { isSameContent } from './write-back/content.ts'
import { replaceFile, writeWhole } from './write-back/replace-file.ts'

/** A value that a restore changes; undefined where the file has none. */
export interface RestoredValue {
  element: string
  path: string
  from: unknown
  to: unknown
}

/** What a restore did, or would do. */
export interface RestoredDeviceFile {
  /** The device file, with links resolved. */
  file: string
  previous: string
  /** Undefined when the file that is replaced is not valid or absent. */
  changes: readonly RestoredValue[] | undefined
  /** Whether the two files have the same text, so that there is nothing to do. */
  isSame: boolean
}

interface RestoreOptions {
  /** UTC, for the provenance file. */
  at: string
  /** Compares only. */
  dryRun: boolean
}

/**
 * Puts the previous device file back, which a write-back or a restore left as `.prev`; the replaced file
 * becomes `.prev`, so that another restore undoes it. The provenance file notes the values that came back.
 * @throws AppError `not_found` without a previous file; `invalid` when that is not a device file; `conflict`
 *   when a person writes the file at the same time.
 */
export function restoreDeviceFile(path: string, { at, dryRun }: RestoreOptions): RestoredDeviceFile {
  const isThere = existsSync(path)
  const file = isThere ? realpathSync(path) : path
  const previous = `${file}.prev`
  const stamp = stampOf(file)
  const text = readText(previous)
  if (typeof text !== 'string') {
    throw new AppError('not_found', `There is no previous file to restore: ${text.problems[0]}`)
  }
  const read = readDeviceFile(text)
  if ('problems' in read) {
    const problems = read.problems.slice(0, 10).map((problem) => `\n  ${problem}`)
    throw new AppError('invalid', `${previous} is not a device file; nothing was changed${problems.join('')}`)
  }
  const replaced = isThere ? readText(file) : ''
  const before = typeof replaced === 'string' ? readDeviceFile(replaced) : undefined
  const changes = before && !('problems' in before) ? changesBetween(before.chip, read.chip) : undefined
  const result = { file, previous, changes, isSame: replaced === text }
  if (dryRun || result.isSame) return result
  if (!isThere) writeWhole(file, text)
  else if (!replaceFile(file, text, stamp)) {
    throw new AppError('conflict', `${basename(file)} was changed at the same time; run the command again`)
  }
  Provenance.read(file).recordRestore(changes ?? [], at)
  return result
}

/** The values in which two chips differ. */
function changesBetween(before: Chip, after: Chip): RestoredValue[] {
  const names = new Set(
    [before, after].flatMap(({ qubits, edges }) => [...qubits, ...edges].map(({ name }) => name)),
  )
  return [...names].flatMap((element) => {
    const [from, to] = [before.element(element)?.values, after.element(element)?.values]
    const paths = new Set([...(from?.keys() ?? []), ...(to?.keys() ?? [])])
    return [...paths].flatMap((path) => {
      const change = { element, path, from: from?.get(path), to: to?.get(path) }
      return isSameContent(change.from, change.to) ? [] : [change]
    })
  })
}
