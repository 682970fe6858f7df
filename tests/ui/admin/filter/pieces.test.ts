import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { piecesOf } from '../../../../ui/admin/filter/pieces.ts'

const word = fc.oneof(
  fc.constantFrom(
    'user.email',
    '@now',
    '"a \\" b"',
    "'x",
    '-12.5',
    '&&',
    '?=',
    '(',
    ')',
    ',',
    ' ',
    '// c',
    '\\',
  ),
  fc.string(),
)

test('the pieces of any text are the text, without gaps', () => {
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const text = words.join('')
      const pieces = piecesOf(text)
      expect(pieces.map((piece) => piece.text).join('')).toBe(text)
      let at = 0
      for (const piece of pieces) {
        expect(piece.at).toBe(at)
        at += piece.text.length
      }
    }),
  )
})

test('each part of a filter has its kind', () => {
  const kinds = piecesOf('end >= @now && (x ~ "a // b" || y=-1.5) // last').map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind !== 'space')).toEqual([
    ...(['name', 'operator', 'macro', 'join', 'open', 'name', 'operator', 'text', 'join'] as const),
    ...(['name', 'operator', 'number', 'close', 'comment'] as const),
  ])
})
