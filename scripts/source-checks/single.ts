import { SINGLE_IMPLEMENTATIONS } from '../source-rules/single.ts'
import { lineOf } from '../source-text.ts'
import type { Breach } from './breach.ts'
import type { SourceFile } from './source-tree.ts'

const PRODUCT = /^(src|ui)\//

/** The files that implement each of the things that have one implementation, by its name. */
export function implementations(sources: readonly SourceFile[]): Map<string, string[]> {
  return new Map(
    SINGLE_IMPLEMENTATIONS.map(({ what, pattern, except = {} }) => [
      what,
      sources
        .filter(({ file, code }) => PRODUCT.test(file) && !(file in except) && pattern.test(code))
        .map(({ file }) => file),
    ]),
  )
}

/** Code that implements again what has an implementation. */
export function checkSingle({ file, code }: SourceFile): Breach[] {
  if (!PRODUCT.test(file)) return []
  return SINGLE_IMPLEMENTATIONS.flatMap(({ what, pattern, home, use, except = {} }) => {
    const match = file === home || file in except ? null : pattern.exec(code)
    if (!match) return []
    return [
      { file, line: lineOf(code, match.index), rule: `second ${what}`, reason: `use ${use} of ${home}` },
    ]
  })
}
