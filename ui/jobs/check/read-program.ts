import { PROGRAM_KINDS, whatContent } from '../../../src/base/portable/what-content.ts'

/** Larger files are no programs. */
const MAX_FILE_BYTES = 10_000_000

/** The program of a file with line ends of one kind, or why it is none. */
export async function readProgram(file: File): Promise<{ text: string } | { refused: string }> {
  const { name, size } = file
  if (size > MAX_FILE_BYTES)
    return { refused: `${name} has ${size} bytes; at most ${MAX_FILE_BYTES} are allowed` }
  try {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const what = whatContent(bytes)
    return PROGRAM_KINDS.includes(what)
      ? { text: new TextDecoder().decode(bytes).replaceAll('\r\n', '\n') }
      : { refused: `${name} is ${what}, not an OpenQASM program` }
  } catch {
    return { refused: `${name} cannot be read; choose it again` }
  }
}
