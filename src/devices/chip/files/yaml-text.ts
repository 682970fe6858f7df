import {
  type Document,
  isAlias,
  isMap,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type ScalarTag,
} from 'yaml'
import { messageOf } from '../../../base/index.ts'

/** Maximum number of uses of one anchor: a bound on the work that aliases within aliases can cause. */
const MAX_ALIASES = 10_000

/**
 * Decimal numbers with underscores between the digits, `4_420_000_000`: readers of YAML 1.1 such as PyYAML,
 * for which files of the predecessor are written, take them for numbers. A leading zero would be octal there.
 */
const GROUPED: ScalarTag[] = [
  { tag: 'tag:yaml.org,2002:int', test: /^[-+]?[1-9]\d*(?:_\d+)+$/ },
  { tag: 'tag:yaml.org,2002:float', test: /^[-+]?\d+(?:_\d+)*\.(?:\d+(?:_\d+)*)?(?:[eE][-+]\d+)?$/ },
].map((tag) => ({ ...tag, default: true, resolve: (text) => Number(text.replaceAll('_', '')) }))

/** Something wrong with a file, at the keys that lead to it. */
export interface FileProblem {
  path: readonly (string | number)[]
  message: string
}

/** A parsed YAML or JSON text. */
export interface YamlText {
  text: string
  document: Document<ParsedNode>
  /** The text as plain values. */
  content: unknown
  /**
   * A line for each problem, in the order of the text: `line 3, column 5: q0.rxy.amp180: …`. A path that the
   * text does not have stands for the nearest part of it that it has.
   */
  describe(problems: readonly FileProblem[]): string[]
}

/**
 * Parses YAML 1.2 (core schema, with merge keys, and underscores within numbers) or JSON. Returns the
 * problems of an invalid text instead, one line each, with line and column.
 */
export function parseYaml(text: string): YamlText | { problems: string[] } {
  const lines = new LineCounter()
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: true,
    customTags: (tags) => [...tags, ...GROUPED],
    lineCounter: lines,
    prettyErrors: false,
  })
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `line ${line}, column ${col}`
  }
  if (document.errors.length > 0) {
    return { problems: document.errors.map(({ pos, message }) => `${at(pos[0])}: ${message.split('\n')[0]}`) }
  }
  try {
    const content: unknown = document.toJS({ maxAliasCount: MAX_ALIASES })
    const describe = (problems: readonly FileProblem[]) =>
      problems
        .map(({ path, message }) => ({ offset: offsetOf(document, path), name: path.join('.'), message }))
        .sort((one, other) => one.offset - other.offset)
        .map(({ offset, name, message }) => `${at(offset)}: ${name === '' ? '' : `${name}: `}${message}`)
    return { text, document, content, describe }
  } catch (error) {
    return { problems: [`line 1, column 1: ${messageOf(error)}`] }
  }
}

/** Where the value at a path begins; a part of the path without a value of its own stands for it. */
function offsetOf(document: Document<ParsedNode>, path: readonly (string | number)[]): number {
  let node: Node | null | undefined = document.contents
  let offset = node?.range?.[0] ?? 0
  for (const key of path) {
    const inside = isAlias(node) ? node.resolve(document) : node
    if (isMap(inside)) {
      const pair = inside.items.find((item) => String(item.key) === String(key))
      node = (pair?.value ?? pair?.key) as Node | undefined
    } else if (isSeq(inside)) node = inside.items[Number(key)] as Node | undefined
    else node = undefined
    if (node?.range === undefined || node.range === null) return offset
    offset = node.range[0]
  }
  return offset
}
