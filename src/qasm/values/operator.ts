export type UnaryOperator = '-' | '~' | '!'
/** Arithmetic operators. */
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%' | '**'

export type BinaryOperator =
  | ArithmeticOperator
  | '||'
  | '&&'
  | '|'
  | '^'
  | '&'
  | '=='
  | '!='
  | '<'
  | '>'
  | '<='
  | '>='
  | '<<'
  | '>>'
