import { type Document, isMap, isNode, parseDocument } from 'yaml'

/** As in a JSON file, which other programs may read. */
const QUOTED = { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'QUOTE_DOUBLE' } as const

/** The text of a config file in which a setting has another value, or none; comments and the order stay. */
export function editConfig(text: string, name: string, value: string | null): string {
  const document = parseDocument(text)
  if (value === null) remove(document, name)
  else document.set(name, String(Number(value)) === value ? Number(value) : value)
  const isJson = isMap(document.contents) && document.contents.flow === true
  return document.toString({ lineWidth: 0, ...(isJson && QUOTED) })
}

/** The comment before the first key may be about the whole file. */
function remove(document: Document, name: string): void {
  const [first] = isMap(document.contents) ? document.contents.items : []
  const head = isNode(first?.key) ? first.key.commentBefore : undefined
  if (document.delete(name) && head && isMap(document.contents) && document.contents.items[0] !== first)
    document.commentBefore = [document.commentBefore, head].filter(Boolean).join('\n')
}
