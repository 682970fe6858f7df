/** What a part of a filter is, as far as that is visible while it is being typed. */
export type PieceKind =
  | 'space'
  | 'comment'
  | 'name'
  | 'macro'
  | 'text'
  | 'number'
  | 'operator'
  | 'join'
  | 'open'
  | 'close'
  | 'comma'
  | 'other'

/** A part of a filter. `at` counts characters from 0. */
export interface Piece {
  kind: PieceKind
  text: string
  at: number
}

/** In this order; the first that fits is taken. The lexer of the server decides what is valid. */
const PATTERNS: readonly [PieceKind, RegExp][] = [
  ['space', /\s+/y],
  ['comment', /\/\/[^\n]*/y],
  ['macro', /@[A-Za-z0-9_.:]*/y],
  ['name', /[_#A-Za-z][A-Za-z0-9_.:]*/y],
  ['number', /-?[0-9]+(?:\.[0-9]+)?/y],
  ['text', /"(?:\\[\s\S]|[^"\\])*(?:"|\\?$)|'(?:\\[\s\S]|[^'\\])*(?:'|\\?$)/y],
  ['operator', /[=?!<>~]+/y],
  ['join', /[&|]+/y],
  ['open', /\(/y],
  ['close', /\)/y],
  ['comma', /,/y],
]

/** Splits a filter, also an incomplete one, into parts that together are the filter. */
export function piecesOf(filter: string): Piece[] {
  const pieces: Piece[] = []
  for (let at = 0; at < filter.length; ) {
    const piece = pieceAt(filter, at)
    pieces.push(piece)
    at += piece.text.length
  }
  return pieces
}

function pieceAt(filter: string, at: number): Piece {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at
    const text = pattern.exec(filter)?.[0]
    if (text) return { kind, text, at }
  }
  return { kind: 'other', text: filter.charAt(at), at }
}

/** The pieces that have a meaning. */
export function meaningful(pieces: readonly Piece[]): Piece[] {
  return pieces.filter(({ kind }) => kind !== 'space' && kind !== 'comment')
}

/** A filter of several lines as one line, with the same meaning: a comment ends where its line does. */
export function oneLine(filter: string): string {
  if (!/[\r\n]/.test(filter)) return filter
  return piecesOf(filter)
    .map(({ kind, text }) => {
      if (kind === 'text') return text.replace(/\r?\n|\r/g, '\\n')
      return kind === 'comment' ? '' : text.replace(/\s*[\r\n]\s*/g, ' ')
    })
    .join('')
    .trim()
}
