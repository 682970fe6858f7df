/** Stable codes of all problems of a program. */
export type QasmCode =
  | 'syntax_error'
  | 'unknown_name'
  | 'duplicate_name'
  | 'type_mismatch'
  | 'not_constant'
  | 'not_assignable'
  | 'index_out_of_range'
  | 'parameter_count'
  | 'argument_count'
  | 'duplicate_qubit'
  | 'invalid_value'
  | 'wrong_scope'
  | 'recursion'
  | 'include_not_allowed'
  | 'unsupported'
  | 'bad_exponent'
  | 'program_too_large'
  | 'nesting_too_deep'
  | 'too_many_operations'
  | 'loop_limit'
  | 'too_many_qubits'
  | 'too_many_bits'

/** One problem of a program. `line` and `column` start at 1; the column counts UTF-16 code units. */
export interface QasmProblem {
  code: QasmCode
  message: string
  line: number
  column: number
}

/** Thrown for a program that cannot be accepted or run; line and column start at 1. */
export class QasmError extends Error {
  readonly code: QasmCode
  readonly line: number
  readonly column: number

  constructor(code: QasmCode, message: string, line: number, column: number) {
    super(message)
    this.name = 'QasmError'
    this.code = code
    this.line = line
    this.column = column
  }
}
