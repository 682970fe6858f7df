import { expect, test } from 'bun:test'
import { coloredParts } from '../../../ui/editor/qasm-words.ts'

test('coloredParts() keeps the text, and names words, numbers, texts and comments', () => {
  const text =
    'OPENQASM 3.0; // a qubit\ninclude "x.inc";\nqubit[2] if_q;\nrx(-1.5e-3*pi) $0; /* if\n*/ delay[8ns]'
  const parts = coloredParts(text)
  expect(parts.map((part) => part.text).join('')).toBe(text)
  expect(parts.filter(({ kind }) => kind).map((part) => `${part.kind} ${part.text}`)).toEqual([
    'keyword OPENQASM',
    'number 3.0',
    'comment // a qubit',
    'keyword include',
    'string "x.inc"',
    'typeName qubit',
    'number 2',
    'number 1.5e-3',
    'atom pi',
    'number $0',
    'comment /* if\n*/',
    'keyword delay',
    'number 8ns',
  ])
})
