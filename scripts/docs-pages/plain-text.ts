import type { Token, Tokens } from 'marked'

const ENTITIES: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
}

/** The words of parsed Markdown, without its marks. */
export function plainText(tokens: readonly Token[]): string {
  return tokens.map(textOf).join('').replace(/\s+/g, ' ').trim()
}

function textOf(token: Token): string {
  switch (token.type) {
    case 'html':
      return ' '
    case 'table':
      return `${rowsOf(token as Tokens.Table).join(' ')} `
    case 'list':
      return (token as Tokens.List).items.map((item) => `${plainText(item.tokens)} `).join('')
    case 'space':
    case 'br':
      return ' '
    default:
      return 'tokens' in token && token.tokens
        ? `${token.tokens.map(textOf).join('')}${gapAfter(token)}`
        : wordsOf(token)
  }
}

function rowsOf({ header, rows }: Tokens.Table): string[] {
  return [header, ...rows].map((cells) => cells.map(({ tokens }) => plainText(tokens)).join(' '))
}

/** Blocks are separated by a space, parts of a line are not. */
function gapAfter(token: Token): string {
  return token.type === 'paragraph' || token.type === 'heading' || token.type === 'blockquote' ? ' ' : ''
}

function wordsOf(token: Token): string {
  const text = 'text' in token ? String(token['text']) : token.raw
  const words =
    token.type === 'text'
      ? text.replace(/&(?:lt|gt|amp|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity)
      : text
  return token.type === 'code' ? `${words} ` : words
}
