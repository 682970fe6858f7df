import { Recent } from '../../base/index.ts'
import { type Program, parseProgram } from '../../qasm/index.ts'

/** A longer program is read each time. */
export const MAX_CHARACTERS = 262_144
/** A tree takes 8 to 62 bytes for each character of its text (measured): 16 MB at most. */
const parsed = new Recent<Program>({ entries: 64, size: MAX_CHARACTERS })

/**
 * Parses and checks a program, or returns the tree of one of the last ones of the same text: jobs of a
 * calibration or of a parameter scan repeat theirs. Running a program does not change its tree.
 * @param dt length of one `dt`, s
 * @throws QasmError for the first problem in text order.
 */
export function parsedProgram(text: string, checkpoint?: () => void, dt?: number): Program {
  if (text.length > MAX_CHARACTERS) return parseProgram(text, { checkpoint, dt })
  const key = `${dt ?? ''}\n${text}`
  const known = parsed.get(key)
  if (known) return known
  const program = parseProgram(text, { checkpoint, dt })
  parsed.add(key, program, text.length)
  return program
}
