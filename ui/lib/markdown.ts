/** A piece of a line. */
export type Inline =
  | string
  | { kind: 'bold'; content: Inline[] }
  | { kind: 'italic'; content: Inline[] }
  | { kind: 'code'; text: string }
  | { kind: 'link'; href: string; content: Inline[] }

/** A part of a text. */
export type Block =
  | { kind: 'paragraph'; lines: Inline[][] }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }

/** Lengths are limited so that no text makes the search quadratic. */
const INLINE = new RegExp(
  [
    '`([^`\\n]{1,500})`',
    '\\*\\*([^*\\n]{1,500})\\*\\*',
    '\\*([^*\\n]{1,500})\\*',
    '\\[([^\\]\\[\\n]{1,300})\\]\\((https?:\\/\\/[^\\s()]{1,1000}|\\/[^\\s()\\/\\\\][^\\s()]{0,500})\\)',
    '(https?:\\/\\/[^\\s<>()"]{1,1000}[^\\s<>()".,;:!?])',
  ].join('|'),
)
const ITEM = /^\s{0,3}(?:[-*+]|(\d{1,3})[.)])\s+/

/**
 * A subset of Markdown: paragraphs, lists, bold, italic, code and links to https, http and paths of this
 * site. Everything else is text as it stands, markup of HTML included.
 */
export function parseMarkdown(text: string): Block[] {
  const parts = text.replace(/\r\n?/g, '\n').split(/\n\s*\n/)
  return parts.flatMap((part) => {
    const blocks: Block[] = []
    for (const line of part.split('\n')) if (line.trim() !== '') addLine(blocks, line)
    return blocks
  })
}

/** Adds a line to the last block if it continues it, otherwise as a block of its own. */
function addLine(blocks: Block[], line: string): void {
  const last = blocks.at(-1)
  const item = ITEM.exec(line)
  if (!item) {
    const content = parseInline(line.trim())
    if (last?.kind === 'paragraph') last.lines.push(content)
    else blocks.push({ kind: 'paragraph', lines: [content] })
    return
  }
  const ordered = item[1] !== undefined
  const content = parseInline(line.slice(item[0].length))
  if (last?.kind === 'list' && last.ordered === ordered) last.items.push(content)
  else blocks.push({ kind: 'list', ordered, items: [content] })
}

function parseInline(text: string): Inline[] {
  const done: Inline[] = []
  let rest = text
  while (rest !== '') {
    const match = INLINE.exec(rest)
    if (!match) break
    if (match.index > 0) done.push(rest.slice(0, match.index))
    done.push(inlineOf(match))
    rest = rest.slice(match.index + match[0].length)
  }
  if (rest !== '') done.push(rest)
  return done
}

function inlineOf([whole, code, bold, italic, label, href, address]: RegExpExecArray): Inline {
  if (code !== undefined) return { kind: 'code', text: code }
  if (bold !== undefined) return { kind: 'bold', content: parseInline(bold) }
  if (italic !== undefined) return { kind: 'italic', content: parseInline(italic) }
  if (label !== undefined && href !== undefined) return { kind: 'link', href, content: [label] }
  return { kind: 'link', href: address ?? whole, content: [address ?? whole] }
}
