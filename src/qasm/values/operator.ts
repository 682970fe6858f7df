export type UnaryOperator = '-' | '~' | '!'
/** The operators on numbers. */
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
