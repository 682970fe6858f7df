import { posix } from 'node:path'
import { lineOf } from '../../source-text.ts'
import type { Breach } from '../breach.ts'
import type { SourceFile } from '../source-tree.ts'

/** Methods that call a function with more than an item, or than a sum and an item. */
const CALL =
  /\.(map|flatMap|filter|some|every|find|findIndex|findLast|findLastIndex|forEach|reduce|reduceRight)\(\s*(\w+)\s*[,)]/g

const DECLARATION = /\b(?:function\*? +(\w+)|const (\w+) = (?:async )?(?=[(<]))/g

/** Where the functions of a file are declared, by name. */
function declarationsOf({ code }: SourceFile): Map<string, number> {
  return new Map(
    [...code.matchAll(DECLARATION)].map((match) => [
      match[1] ?? match[2] ?? '',
      match.index + match[0].length,
    ]),
  )
}

/** The parameters in the parentheses that open behind `place`. */
function parametersAt(code: string, place: number): string[] {
  const start = code.indexOf('(', place)
  const parameters: string[] = []
  let depth = 0
  let begin = start + 1
  for (let at = start; at < code.length; at += 1) {
    const mark = code.charAt(at)
    if ('([{'.includes(mark)) depth += 1
    if (')]}'.includes(mark)) depth -= 1
    if (depth > 1 || (mark !== ',' && depth > 0)) continue
    parameters.push(code.slice(begin, at).trim())
    begin = at + 1
    if (depth === 0) return parameters
  }
  return parameters
}

/** Whether a caller may omit a parameter; what stands inside braces and the arrows of types do not count. */
function isOptional(parameter: string): boolean {
  return /^\w+\?|=/.test(parameter.replace(/\{[^{}]*\}|=>/g, ''))
}

/** The files that may declare what `file` imports by this name: the one it names, or those of its folder. */
function originsOf(name: string, { file, source }: SourceFile, sources: readonly SourceFile[]): SourceFile[] {
  const [, specifier] = new RegExp(`import \\{[^}]*\\b${name}\\b[^}]*\\} from '([^']+)'`).exec(source) ?? []
  if (specifier === undefined) return []
  const path = posix.join(posix.dirname(file), specifier)
  const isFace = posix.basename(path) === 'index.ts'
  return sources.filter((each) => (isFace ? each.file.startsWith(posix.dirname(path)) : each.file === path))
}

/**
 * Functions that are passed by name to `map`, `reduce` and the like although they have optional parameters
 * behind those that are meant: these then receive the index and the list. The compiler accepts that where
 * their types admit it, so an optional parameter that is added later changes calls far away.
 */
export function checkCallbacks(sources: readonly SourceFile[]): Breach[] {
  const declared = new Map(sources.map((source) => [source, declarationsOf(source)]))
  const parametersOf = (name: string, source: SourceFile) => {
    const place = declared.get(source)?.get(name)
    return place === undefined ? undefined : parametersAt(source.code, place)
  }
  return sources.flatMap((from) =>
    [...from.code.matchAll(CALL)].flatMap(({ 1: method = '', 2: name = '', index }) => {
      const own = parametersOf(name, from)
      const found = own
        ? [own]
        : originsOf(name, from, sources).flatMap((each) => [parametersOf(name, each) ?? []])
      const meant = method.startsWith('reduce') ? 2 : 1
      if (!found.some((parameters) => parameters.slice(meant).some(isOptional))) return []
      const reason = `${method} fills the optional parameters of ${name}: write a function of those that are meant`
      return [{ file: from.file, line: lineOf(from.code, index), rule: 'bare callback', reason }]
    }),
  )
}
