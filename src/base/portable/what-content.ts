/** What `whatContent` says of a SQLite database. */
export const DATABASE_KIND = 'a SQLite database'
/** The same of what may be a program. */
export const PROGRAM_KINDS: readonly string[] = ['an OpenQASM program', 'other text', 'empty']

/** What a content is, by its first bytes and its length in bytes: `an OpenQASM program`, `JSON`. */
export function whatContent(head: Uint8Array, size = head.length): string {
  if (size === 0) return 'empty'
  if (new TextDecoder('latin1').decode(head.subarray(0, 16)) === 'SQLite format 3\0') return DATABASE_KIND
  const text = textOf(head)
  if (text === undefined || text.includes('\0')) return `binary data of ${size} byte${size === 1 ? '' : 's'}`
  if (/^\s*-----BEGIN /.test(text)) return 'a certificate or key'
  if (/^\s*[[{]/.test(text)) {
    const isReceipt =
      ['payload', 'protected', 'signature'].filter((name) => text.includes(`"${name}"`)).length > 1
    return isReceipt ? 'the receipt of a job' : 'JSON'
  }
  return /^(\s|\/\/.*\n|\/\*[\s\S]*?\*\/)*OPENQASM\s/.test(text) ? 'an OpenQASM program' : 'other text'
}

function textOf(head: Uint8Array): string | undefined {
  try {
    // The last character of a longer file may be cut.
    return new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
  } catch {
    return undefined
  }
}
