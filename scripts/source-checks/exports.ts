import { lineOf } from '../source-text.ts'
import type { Breach } from './breach.ts'
import type { SourceFile } from './source-tree.ts'

/**
 * Folders whose exports have to be used by another file; AssemblyScript exports are used by name at run time.
 */
const CHECKED = /^(src|ui)\/(?!.*\/assembly\/)/
const EXPORT = /^export (?:async )?(?:function|const|class|interface|type)\*? ?(\w+)/gm

/** Files that the product does not consist of. */
const TEST = /^(tests|bench)\//

/**
 * Exports whose name occurs in no other source file, so that the declaration is local or dead, and those that
 * only tests and benchmarks name. A name that another file uses for something else hides such an export, so
 * this check misses some but reports none wrongly.
 */
export function checkExports(sources: readonly SourceFile[]): Breach[] {
  const filesByWord = new Map<string, Set<string>>()
  /** How often files of the product name a word. */
  const uses = new Map<string, number>()
  for (const { file, code } of sources) {
    for (const [word] of code.matchAll(/[A-Za-z_$][\w$]*/g)) {
      const files = filesByWord.get(word) ?? new Set()
      filesByWord.set(word, files.add(file))
      if (!TEST.test(file)) uses.set(word, (uses.get(word) ?? 0) + 1)
    }
  }
  return sources
    .filter(({ file }) => CHECKED.test(file))
    .flatMap(({ file, code }) =>
      [...code.matchAll(EXPORT)].flatMap((match) => {
        const name = match[1] ?? ''
        const line = lineOf(code, match.index)
        if (filesByWord.get(name)?.size === 1)
          return [
            { file, line, rule: 'dead export', reason: `no other file uses ${name}: remove the export` },
          ]
        if (uses.get(name) === 1)
          return [
            {
              file,
              line,
              rule: 'test-only export',
              reason: `only tests use ${name}: move it to tests/support`,
            },
          ]
        return []
      }),
    )
}
