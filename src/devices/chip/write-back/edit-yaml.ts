import { type Document, isAlias, isMap, isNode, isScalar, type Node, type YAMLMap } from 'yaml'
import { parseYaml } from '../files/yaml-text.ts'
import { isSameContent, type Leaf, type Numbers, withLeaves } from './content.ts'
import { numberText } from './number-text.ts'
import {
  aliasesByNode,
  applyEdits,
  type Edit,
  flowText,
  insertionInto,
  mergedValueOf,
  pairOf,
  rangeOf,
  replacementOf,
  resolved,
} from './yaml-places.ts'

/** Bound on the passes over a text; each does all edits that do not touch one another. */
const MAX_PASSES = 1_000

/**
 * Sets values in a YAML text by replacing their characters only: comments, anchors, order and the form of
 * everything else stay byte by byte. Where several elements share a value through an anchor or a merge key,
 * the others receive a copy of it first, so that they keep what they had. Missing keys are added at the end
 * of their map. A large file takes many passes; it yields between them, so that other work has its turn.
 * @throws Error when the result would change anything else.
 */
export function* editYaml(text: string, leaves: readonly Leaf[]): Generator<void, string> {
  let edited = text
  let waiting = leaves
  for (let pass = 0; waiting.length > 0; pass++) {
    if (pass === MAX_PASSES) throw new Error('the file needs too many edits')
    yield
    const { edits, left } = editsOf(edited, waiting)
    edited = applyEdits(edited, edits)
    waiting = left
  }
  yield
  const wanted = withLeaves(parsed(text).content, leaves)
  yield
  if (!isSameContent(wanted, parsed(edited).content)) {
    throw new Error('the edited file would differ in more than the new values')
  }
  return edited
}

/** The next edits that do not touch one another, and the leaves that need another pass. */
function editsOf(text: string, leaves: readonly Leaf[]): { edits: Edit[]; left: Leaf[] } {
  const { document } = parsed(text)
  const aliases = aliasesByNode(document)
  const edits: Edit[] = []
  const left: Leaf[] = []
  for (const leaf of leaves) {
    const { edits: next, isLast } = stepTowards({ text, document, aliases }, leaf)
    const isFree = next.every((edit) => edits.every((other) => !doTouch(edit, other)))
    if (isFree) edits.push(...next)
    if (!(isFree && isLast)) left.push(leaf)
  }
  return { edits, left }
}

function doTouch(one: Edit, other: Edit): boolean {
  return one.start <= other.end && other.start <= one.end
}

interface Place {
  text: string
  document: Document
  aliases: ReturnType<typeof aliasesByNode>
}

/** The next edits on the way to a leaf; the last ones set it. */
function stepTowards(place: Place, { path, value }: Leaf): { edits: Edit[]; isLast: boolean } {
  return stepInto(place, place.document.contents ?? undefined, path, value)
}

/** The same below a node that keys have led to. */
function stepInto(
  place: Place,
  node: Node | undefined,
  [key = '', ...rest]: readonly string[],
  value: Numbers,
): { edits: Edit[]; isLast: boolean } {
  if (!isMap(node)) throw new Error(`${key} has no place: what leads to it is not names with values`)
  const pair = pairOf(node, key)
  if (!pair) return additionTo(place, node, [key, ...rest], value)
  const below = isNode(pair.value) ? pair.value : undefined
  if (!below) throw new Error(`${key} has no value to replace`)
  const separation = separationOf(place, below, rest.length === 0)
  if (separation.length > 0) return { edits: separation, isLast: false }
  const isNull = isScalar(below) && below.value === null
  if (rest.length > 0 && !isNull) return stepInto(place, below, rest, value)
  return { edits: [replacementOf(place.text, below, nested(rest, value))], isLast: true }
}

/** The addition of a key that a map lacks, or has through a merge key only: then a copy comes first. */
function additionTo(
  { text, document }: Place,
  map: YAMLMap,
  [key = '', ...rest]: readonly string[],
  value: Numbers,
): { edits: Edit[]; isLast: boolean } {
  const inherited = rest.length > 0 ? mergedValueOf(map, key, document) : undefined
  const isLast = inherited === undefined
  const added = isLast ? nested(rest, value) : flowText(text, resolved(inherited, document), document)
  return { edits: [insertionInto(text, map, key, added)], isLast }
}

/** Edits that end the sharing of a node with other elements, by copies of it. */
function separationOf({ text, document, aliases }: Place, node: Node | undefined, isLeaf: boolean): Edit[] {
  if (isAlias(node) && !isLeaf) {
    const { start, end } = rangeOf(node)
    return [{ start, end, text: flowText(text, node.resolve(document), document) }]
  }
  const others = node ? (aliases.get(node) ?? []) : []
  return others.map((alias) => ({ ...rangeOf(alias), text: flowText(text, node, document) }))
}

/** The text of a value below keys that do not exist yet. */
function nested(keys: readonly string[], value: Numbers): string {
  return keys.reduceRight((inner, key) => `{${key}: ${inner}}`, valueText(value))
}

function valueText(value: Numbers): string {
  return typeof value === 'number' ? numberText(value) : `[${value.map(valueText).join(', ')}]`
}

function parsed(text: string): { document: Document; content: unknown } {
  const yaml = parseYaml(text)
  if ('problems' in yaml) throw new Error(yaml.problems[0])
  return yaml
}
