import { SINGLE_IMPLEMENTATIONS, type SingleImplementation } from '../source-rules/single.ts'
import { lineOf } from '../source-text.ts'
import type { Breach } from './breach.ts'
import type { SourceFile } from './source-tree.ts'

const PRODUCT = /^(src|ui)\//

/** Where a file implements something that has one implementation; undefined if it does not. */
function placeIn(rule: SingleImplementation, source: SourceFile): number | undefined {
  if (!PRODUCT.test(source.file) || source.file in (rule.except ?? {})) return undefined
  return rule.pattern.exec(rule.isInStrings ? withoutComments(source) : source.code)?.index
}

/** The text with the comments turned into spaces. */
function withoutComments({ source, comments }: SourceFile): string {
  return source.replace(/./g, (char, at: number) => (comments[at] === ' ' ? char : ' '))
}

/** The files that implement each of the things that have one implementation, by its name. */
export function implementations(sources: readonly SourceFile[]): Map<string, string[]> {
  return new Map(
    SINGLE_IMPLEMENTATIONS.map((rule) => [
      rule.what,
      sources.filter((source) => placeIn(rule, source) !== undefined).map(({ file }) => file),
    ]),
  )
}

/** Code that implements again what has an implementation. */
export function checkSingle(source: SourceFile): Breach[] {
  return SINGLE_IMPLEMENTATIONS.flatMap((rule) => {
    const { what, home, use } = rule
    const place = source.file === home ? undefined : placeIn(rule, source)
    if (place === undefined) return []
    const line = lineOf(source.code, place)
    return [{ file: source.file, line, rule: `second ${what}`, reason: `use ${use}, of ${home}` }]
  })
}
