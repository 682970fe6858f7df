const words3 = [
  'OPENQASM',
  'include',
  'defcalgrammar',
  'def',
  'cal',
  'defcal',
  'gate',
  'extern',
  'box',
  'let',
  'break',
  'continue',
  'if',
  'else',
  'end',
  'return',
  'for',
  'while',
  'in',
  'switch',
  'case',
  'default',
  'nop',
  'pragma',
  'input',
  'output',
  'const',
  'readonly',
  'mutable',
  'qreg',
  'qubit',
  'creg',
  'bool',
  'bit',
  'int',
  'uint',
  'float',
  'angle',
  'complex',
  'array',
  'void',
  'duration',
  'stretch',
  'gphase',
  'inv',
  'pow',
  'ctrl',
  'negctrl',
  'durationof',
  'delay',
  'reset',
  'measure',
  'barrier',
  'true',
  'false',
] as const

const words2 = [
  'OPENQASM',
  'include',
  'qreg',
  'creg',
  'gate',
  'opaque',
  'measure',
  'reset',
  'barrier',
  'if',
] as const

const symbols = [
  '<<=',
  '>>=',
  '**=',
  '==',
  '!=',
  '<=',
  '>=',
  '<<',
  '>>',
  '&&',
  '||',
  '++',
  '->',
  '**',
  '+=',
  '-=',
  '*=',
  '/=',
  '%=',
  '&=',
  '|=',
  '^=',
  '~=',
  '#dim',
  ';',
  ',',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ':',
  '=',
  '<',
  '>',
  '+',
  '-',
  '*',
  '/',
  '%',
  '&',
  '|',
  '^',
  '~',
  '!',
  '@',
] as const

/** A reserved word of either version. */
type Keyword = (typeof words3)[number] | (typeof words2)[number]

/** Kind of a token; each keyword and symbol is its own kind. */
export type TokenKind =
  | 'eof'
  | 'identifier'
  | 'integer'
  | 'real'
  | 'imaginary'
  | 'timing'
  | 'string'
  | 'hardware'
  | Keyword
  | (typeof symbols)[number]

function tableOf(words: readonly Keyword[]): ReadonlyMap<string, TokenKind> {
  return new Map(words.map((word) => [word, word]))
}

/** Reserved words of OpenQASM 3. */
export const KEYWORDS_3 = tableOf(words3)

/** Reserved words of OpenQASM 2, in which names such as `input` or `box` are not reserved. */
export const KEYWORDS_2 = tableOf(words2)

/** Symbols by the character code they begin with, longest first. */
export const SYMBOLS_BY_CODE: readonly (readonly (TokenKind & string)[])[] = Array.from(
  { length: 128 },
  (_, code) => symbols.filter((symbol) => symbol.charCodeAt(0) === code),
)
