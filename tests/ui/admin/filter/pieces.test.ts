import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { oneLine, piecesOf } from '../../../../ui/admin/filter/pieces.ts'

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

test('several lines become one that means the same', () => {
  expect(oneLine('a = 1 // first\n  && b = "x\ny"\r\n')).toBe('a = 1  && b = "x\\ny"')
  expect(oneLine('a = "http://b" // last')).toBe('a = "http://b" // last')
  fc.assert(
    fc.property(fc.array(word), (words) => void expect(oneLine(words.join('\n'))).not.toMatch(/[\r\n]/)),
  )
})
