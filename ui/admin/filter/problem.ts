import { CONSTANTS, FUNCTIONS, fieldAt, follow, MACROS, type Names } from './names.ts'
import { meaningful, type Piece, piecesOf } from './pieces.ts'

/** A place of a filter that is not valid. `at` counts characters from 0. */
export interface Problem {
  at: number
  length: number
  message: string
}

/** The first name in a filter that does not exist. The server checks everything else. */
export function unknownName(filter: string, names: Names): Problem | undefined {
  const pieces = meaningful(piecesOf(filter))
  for (const [index, piece] of pieces.entries()) {
    const message = messageFor(piece, pieces[index + 1], names)
    if (message) return { at: piece.at, length: piece.text.length, message }
  }
  return undefined
}

function messageFor(piece: Piece, next: Piece | undefined, names: Names): string | undefined {
  if (piece.kind === 'macro') {
    if (/^@(request|collection)\./.test(piece.text) || Object.hasOwn(MACROS, piece.text)) return undefined
    return `There is no ${piece.text}.`
  }
  if (piece.kind !== 'name') return undefined
  if (next?.kind === 'open' && next.at === piece.at + piece.text.length) {
    const isKnown = FUNCTIONS.some((name) => name === piece.text)
    return isKnown ? undefined : `There is no function ${piece.text}.`
  }
  if (CONSTANTS.some((name) => name === piece.text.toLowerCase())) return undefined
  return fieldAt(names, piece.text) ? undefined : unknownField(piece.text, names)
}

/** Names the first part of a path that does not exist, and where. */
function unknownField(path: string, { collection, all }: Names): string {
  let place = collection
  for (const part of path.replace(/:.*$/, '').split('.')) {
    const here = { collection: place, all }
    const next = follow(here, [part])
    if (!next || next === 'json') {
      if (fieldAt(here, part)) return `${part} is not a relation, so no name can follow it.`
      return `${place.name} has no field “${part}”.`
    }
    place = next.collection
  }
  return `There is no field “${path}”.`
}

/** The place that the server names in a refusal, if it names one. */
export function refusedPlace(filter: string, message: string): Problem | undefined {
  const named = /\bcharacter (\d+)/.exec(message)?.[1]
  if (named !== undefined) {
    const at = Math.min(Number(named) - 1, filter.length)
    const piece = piecesOf(filter).find((each) => each.at === at)
    return { at, length: piece?.text.length ?? 1, message }
  }
  return /^The filter ends/.test(message) ? { at: filter.trimEnd().length, length: 1, message } : undefined
}
