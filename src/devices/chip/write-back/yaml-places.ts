import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml'

/** A replacement of the characters from `start` to `end`. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((one, other) => other.start - one.start)
  return ordered.reduce(
    (result, { start, end, text: by }) => result.slice(0, start) + by + result.slice(end),
    text,
  )
}

/** The aliases of each anchored node, in order of the text. */
export function aliasesByNode(document: Document): ReadonlyMap<Node, readonly Alias[]> {
  const anchors = new Map<string, Node>()
  const aliases = new Map<Node, Alias[]>()
  visit(document, {
    Node(_key, node) {
      if (isAlias(node)) {
        const target = anchors.get(node.source)
        if (target) aliases.set(target, [...(aliases.get(target) ?? []), node])
      } else if ('anchor' in node && node.anchor) anchors.set(node.anchor, node as Node)
    },
  })
  return aliases
}

/** The pair of a map with this key; merged maps do not count. */
export function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => !isMerge(pair) && keyText(pair) === key)
}

/** The value that a map has for a key through its merge keys. */
export function mergedValueOf(map: YAMLMap, key: string, document: Document): Node | undefined {
  for (const pair of map.items.filter(isMerge)) {
    const given = resolved(pair.value, document)
    const sources = isSeq(given) ? given.items.map((item) => resolved(item, document)) : [given]
    for (const source of sources) {
      if (!isMap(source)) continue
      const value = pairOf(source, key)?.value ?? mergedValueOf(source, key, document)
      if (isNode(value)) return value
    }
  }
  return undefined
}

/** The node that a value stands for. */
export function resolved(value: unknown, document: Document): Node | undefined {
  if (isAlias(value)) return value.resolve(document)
  return isNode(value) ? value : undefined
}

/** The range of a node without the space and comments after it. */
export function rangeOf(node: Node): { start: number; end: number } {
  const [start = 0, end = 0] = node.range ?? []
  return { start, end: isCollection(node) && node.flow !== true ? endOfBlock(node, start) : end }
}

/** The replacement of a value; an empty one has no text of its own to replace. */
export function replacementOf(text: string, node: Node, by: string): Edit {
  const { start, end } = rangeOf(node)
  if (start < end) return { start, end, text: by }
  const before = /\s/.test(text[start - 1] ?? ' ') ? '' : ' '
  const after = /[\s,}\]]/.test(text[start] ?? ' ') ? '' : ' '
  return { start, end: start, text: `${before}${by}${after}` }
}

/** The insertion of a pair at the end of a map. */
export function insertionInto(text: string, map: YAMLMap, key: string, value: string): Edit {
  const [start = 0, end = 0] = map.range ?? []
  const last = map.items.at(-1)
  if (map.flow === true) {
    const place = last ? endOfPair(last, end - 1) : start + 1
    return { start: place, end: place, text: `${last ? ', ' : ''}${key}: ${value}` }
  }
  const first = map.items[0]?.key
  const column = columnOf(text, isNode(first) ? rangeOf(first).start : start)
  const lineEnd = text.indexOf('\n', last ? endOfPair(last, start) : start)
  const place = lineEnd < 0 ? text.length : text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  return { start: place, end: place, text: `${newline}${' '.repeat(column)}${key}: ${value}` }
}

/** A node as one line of flow style, without anchors. */
export function flowText(text: string, node: Node | undefined, document: Document): string {
  if (isAlias(node)) return `*${node.source}`
  if (isScalar(node)) return scalarText(text, node)
  if (isSeq(node)) return `[${node.items.map((item) => flowText(text, item as Node, document)).join(', ')}]`
  if (!isMap(node)) return 'null'
  const pairs = node.items.map(({ key, value }) => {
    const name = isScalar(key) ? scalarText(text, key) : String(key)
    return `${name}: ${flowText(text, (value ?? undefined) as Node | undefined, document)}`
  })
  return `{${pairs.join(', ')}}`
}

function scalarText(text: string, scalar: Scalar): string {
  const { start, end } = rangeOf(scalar)
  const source = text.slice(start, end)
  if (source === '') return 'null'
  const isPlain = scalar.type === 'PLAIN'
  const isOneLine = !source.includes('\n') && (isPlain ? !/[,[\]{}]/.test(source) : /^["']/.test(source))
  return isOneLine ? source : JSON.stringify(scalar.value)
}

function isMerge({ key }: Pair): boolean {
  return isScalar(key) && (key.value === '<<' || typeof key.value === 'symbol')
}

function keyText({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : String(key)
}

function endOfPair({ key, value }: Pair, otherwise: number): number {
  if (isNode(value) && value.range) return rangeOf(value).end
  return isNode(key) ? rangeOf(key).end : otherwise
}

/** Where the last value of a block collection ends: its own range includes the line after it. */
function endOfBlock(node: Node, otherwise: number): number {
  const last = isMap(node) || isSeq(node) ? node.items.at(-1) : undefined
  if (last === undefined) return otherwise
  if (isNode(last)) return rangeOf(last).end
  return endOfPair(last as Pair, otherwise)
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1)
}
