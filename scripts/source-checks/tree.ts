import { posix } from 'node:path'
import { MAX_FILES_PER_FOLDER, TOP_LEVEL } from '../source-rules/tree.ts'
import type { Breach } from './breach.ts'

/** Files that count towards the limit of a folder; folders of data hold none of them. */
const SOURCE = /^(src|ui|tests|scripts|bench)\/.*\.(ts|tsx|mts|js|jsx|mjs|py|sh|css|go)$/

/** The number of source files directly in each folder. */
export function filesPerFolder(files: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const file of files) {
    if (!SOURCE.test(file)) continue
    const folder = posix.dirname(file)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  return counts
}

/** Top-level entries that are not in the rules, and folders with too many files. */
export function checkTree(files: readonly string[]): Breach[] {
  const entries = new Map<string, string>()
  for (const file of files) {
    const [entry = ''] = file.split('/')
    if (!entries.has(entry)) entries.set(entry, file)
  }
  const unknown = [...entries].flatMap(([entry, file]) => {
    const reason = `${entry} is not among the entries in scripts/source-rules/tree.ts`
    return TOP_LEVEL.has(entry) ? [] : [{ file, line: 1, rule: 'top level', reason }]
  })
  const full = [...filesPerFolder(files)].flatMap(([folder, count]) => {
    if (count <= MAX_FILES_PER_FOLDER) return []
    const reason = `holds ${count} source files; divide it by subject, at most ${MAX_FILES_PER_FOLDER} per folder`
    return [{ file: folder, line: 1, rule: 'folder size', reason }]
  })
  return [...unknown, ...full]
}
