import { BANNED_FIRST_WORDS, BANNED_WORDS } from '../source-rules/words.ts'
import { blank, lineOf } from '../source-text.ts'
import type { Breach, Finding } from './breach.ts'
import type { SourceFile } from './source-tree.ts'

/** The words of a name in lower case: `toldAt2` gives `told` and `at`. */
export function wordsOf(name: string): string[] {
  return name
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase())
}

/** The banned word in a name, if there is one. */
export function bannedWordIn(name: string): string | undefined {
  return BANNED_FIRST_WORDS.exec(name)?.[1] ?? wordsOf(name).find((word) => BANNED_WORDS.has(word))
}

/** An identifier that does not follow a dot; names of members are found where they are declared. */
const IDENTIFIER = /(?<![\w$#]|(?<!\.\.)\.\s*)[A-Za-z_$#][\w$]*/g
/** The names of an import or a re-export, which are declared elsewhere. */
const IMPORT = /(?<![\w$.])(?:import|export)\s+(?:type\s+)?(?:[\w$\s,*]*(?:\{[^}]*\})?)\s*from\b/g
/** Text between the tags of JSX, which users read and no name is in. */
const JSX_TEXT = /(?<=[\w"'}\]/)]\s*>)[^<>{}()=;]+(?=[<{])/g

/**
 * Declared names with banned words, one breach per name and file. Every identifier counts except members
 * after a dot and imported names: whatever else a file names, it declares itself, as a variable, parameter,
 * field or key. Quoted keys do not count, because they are data.
 */
export function checkNames({ file, code }: Pick<SourceFile, 'file' | 'code'>): Breach[] {
  const text = /\.[jt]sx$/.test(file) ? code.replace(JSX_TEXT, blank) : code
  const seen = new Set([...text.matchAll(IMPORT)].flatMap(([names]) => names.match(/[\w$]+/g) ?? []))
  return [...text.matchAll(IDENTIFIER)].flatMap((match) => {
    const [name] = match
    const word = bannedWordIn(name)
    if (word === undefined || seen.has(name)) return []
    seen.add(name)
    return [{ file, line: lineOf(text, match.index), ...breachOf(name, word) }]
  })
}

/** A banned word in the name of a file or its folders. */
export function checkPath(file: string): Breach[] {
  return file.split('/').flatMap((name) => {
    const word = bannedWordIn(name)
    return word === undefined ? [] : [{ file, line: 1, ...breachOf(name, word) }]
  })
}

function breachOf(name: string, word: string): Finding {
  return {
    rule: `word ${name}`,
    reason: `a declared name may not contain "${word}"; see docs/reference/glossary.md`,
  }
}
