import { BANNED_CALLS, BANNED_TEXTS } from '../source-rules.ts'
import { importsOf, lineOf } from '../source-text.ts'
import type { Breach } from './breach.ts'
import { checkImport } from './imports.ts'
import type { SourceFile } from './source-tree.ts'

/** Breaches inside one source file: imports and banned calls. */
export function checkSource({ file, source, code }: SourceFile): Breach[] {
  const imports = importsOf(source, code).flatMap((site) =>
    checkImport(file, site).map((finding) => ({ file, line: site.line, ...finding })),
  )
  const calls = BANNED_CALLS.filter(({ where }) => where.test(file)).flatMap(({ pattern, reason }) =>
    [...code.matchAll(pattern)].map((match) => ({
      file,
      line: lineOf(code, match.index),
      rule: `banned ${match[0].replace(/\s*([.()])\s*/g, '$1').replace(/\($/, '')}`,
      reason,
    })),
  )
  return [...imports, ...calls]
}

/** Breaches in the text of any tracked file: traces of one machine or one registry. */
export function checkText(file: string, text: string): Breach[] {
  return BANNED_TEXTS.filter(({ where }) => where.test(file)).flatMap(({ pattern, reason }) =>
    [...text.matchAll(pattern)].map((match) => ({
      file,
      line: lineOf(text, match.index + match[0].search(/\S/)),
      rule: `text ${match[0].trim()}`,
      reason,
    })),
  )
}
