import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Block, type Inline, parseMarkdown } from '../../../ui/lib/markdown.ts'

test('parseMarkdown() reads paragraphs, lists, emphasis, code and links', () => {
  const text =
    'The *mixing* **chamber** is `warm`.\nJobs wait.\n\n- see [bookings](/bookings)\n- https://lab.example/a.'
  expect(parseMarkdown(text)).toEqual([
    {
      kind: 'paragraph',
      lines: [
        [
          'The ',
          { kind: 'italic', content: ['mixing'] },
          ' ',
          { kind: 'bold', content: ['chamber'] },
          ' is ',
          { kind: 'code', text: 'warm' },
          '.',
        ],
        ['Jobs wait.'],
      ],
    },
    {
      kind: 'list',
      ordered: false,
      items: [
        ['see ', { kind: 'link', href: '/bookings', content: ['bookings'] }],
        [{ kind: 'link', href: 'https://lab.example/a', content: ['https://lab.example/a'] }, '.'],
      ],
    },
  ])
  expect(parseMarkdown('1. one\n2. two')).toEqual([
    { kind: 'list', ordered: true, items: [['one'], ['two']] },
  ])
})

test.each([
  '<script>alert(1)</script>',
  '[x](javascript:alert(1))',
  '[x](//evil.example)',
  '[x](/\\evil.example)',
  '[x](data:text/html,x)',
])('parseMarkdown() leaves %s as text', (text) => {
  expect(parseMarkdown(text)).toEqual([{ kind: 'paragraph', lines: [[text]] }])
})

const linksIn = (content: readonly Inline[]): string[] =>
  content.flatMap((piece) => {
    if (typeof piece === 'string' || piece.kind === 'code') return []
    return [...(piece.kind === 'link' ? [piece.href] : []), ...linksIn(piece.content)]
  })
const linesOf = (block: Block) => (block.kind === 'list' ? block.items : block.lines)

test('parseMarkdown() never yields a link that runs or leads to another protocol', () => {
  const piece = fc.constantFrom(
    '[',
    ']',
    '(',
    ')',
    '*',
    '**',
    '`',
    'javascript:',
    'https://',
    '/',
    '\\',
    '\n',
    'a',
    ' ',
  )
  const text = fc.array(piece, { maxLength: 200 }).map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(text, (sample) => {
      for (const href of parseMarkdown(sample).flatMap(linesOf).flatMap(linksIn))
        expect(href).toMatch(/^(https?:\/\/|\/[^/\\])/)
    }),
  )
})

// A search whose work is the square of the length would take hours.
test.each(['[', '*', '`', '[a](', 'https://'])('parseMarkdown() ends for a million times %s', (unit) => {
  expect(parseMarkdown(unit.repeat(1_000_000))).toHaveLength(1)
})
