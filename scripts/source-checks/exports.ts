import { lineOf } from '../source-text.ts'
import type { Breach } from './breach.ts'
import type { SourceFile } from './source-tree.ts'

/**
 * Folders whose exports have to be used by another file; AssemblyScript exports are used by name at run time.
 */
const CHECKED = /^(src|ui)\/(?!.*\/assembly\/)/
const EXPORT = /^export (?:async )?(?:function|const|class|interface|type)\*? ?(\w+)/gm

/**
 * Exports whose name occurs in no other source file: the declaration is local or dead. A name that another
 * file uses for something else hides a dead export, so this check misses some but reports none wrongly.
 */
export function checkExports(sources: readonly SourceFile[]): Breach[] {
  const filesByWord = new Map<string, Set<string>>()
  for (const { file, code } of sources) {
    for (const [word] of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
      const files = filesByWord.get(word) ?? new Set()
      filesByWord.set(word, files.add(file))
    }
  }
  return sources
    .filter(({ file }) => CHECKED.test(file))
    .flatMap(({ file, code }) =>
      [...code.matchAll(EXPORT)]
        .filter(([, name = '']) => filesByWord.get(name)?.size === 1)
        .map((match) => ({
          file,
          line: lineOf(code, match.index),
          rule: 'dead export',
          reason: `no other file uses ${match[1]}: remove the export`,
        })),
    )
}
