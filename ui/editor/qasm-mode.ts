import { StreamLanguage, type StringStream } from '@codemirror/language'
import { wordClass } from './qasm-words.ts'

interface ModeState {
  isInComment: boolean
}

/** The class of the next token of OpenQASM; undefined for names and punctuation. */
function token(stream: StringStream, state: ModeState): string | null {
  if (state.isInComment) return endComment(stream, state)
  if (stream.eatSpace()) return null
  if (stream.match('//')) {
    stream.skipToEnd()
    return 'comment'
  }
  if (stream.match('/*')) {
    state.isInComment = true
    return endComment(stream, state)
  }
  if (stream.match(/^"[^"\n]*"?/) || stream.match(/^'[^'\n]*'?/)) return 'string'
  if (stream.match(/^(0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+)/)) return 'number'
  if (stream.match(/^(\d[\d_]*\.?\d*|\.\d+)([eE][+-]?\d+)?(dt|ns|us|µs|ms|s|im)?/)) return 'number'
  if (stream.match(/^\$\d+/)) return 'atom'
  const word = stream.match(/^[\p{L}_][\p{L}\p{N}_]*/u)
  if (word && typeof word !== 'boolean') return wordClass(word[0])
  stream.next()
  return null
}

function endComment(stream: StringStream, state: ModeState): string {
  if (stream.skipTo('*/')) {
    stream.match('*/')
    state.isInComment = false
  } else stream.skipToEnd()
  return 'comment'
}

/** Highlighting of OpenQASM 2 and 3. */
export const qasm = StreamLanguage.define<ModeState>({
  name: 'openqasm',
  startState: () => ({ isInComment: false }),
  token,
  languageData: { commentTokens: { line: '//', block: { open: '/*', close: '*/' } } },
})
