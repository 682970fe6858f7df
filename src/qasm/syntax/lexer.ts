import { Fault } from '../fault.ts'
import { KEYWORDS_2, KEYWORDS_3, SYMBOLS_BY_CODE, type TokenKind } from './tokens.ts'

const unicodeWordStart = /^[\p{Lu}\p{Ll}\p{Lt}\p{Lm}\p{Lo}\p{Nl}]$/u
const units = ['im', 'dt', 'ns', 'us', 'µs', 'μs', 'ms', 's']

const OTHER = 0
const WORD_START = 1
const DIGIT = 2
const classes = new Uint8Array(128)
for (let code = 0; code < 128; code++) {
  const character = String.fromCharCode(code)
  if (/[A-Za-z_]/.test(character)) classes[code] = WORD_START
  else if (/[0-9]/.test(character)) classes[code] = DIGIT
}

const isDecimal = (code: number) => code >= 48 && code <= 57
const isBinary = (code: number) => code === 48 || code === 49
const isOctal = (code: number) => code >= 48 && code <= 55
const isHexadecimal = (code: number) =>
  isDecimal(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70)

/**
 * Reads one token at a time from program text. `kind`, `start` and `end` describe the current token;
 * `next()` advances. It works on character codes and keeps no list of tokens.
 */
export class Lexer {
  readonly text: string
  kind: TokenKind = 'eof'
  /** Offset of the first character of the current token. */
  start = 0
  /** Offset after the last character of the current token. */
  end = 0
  /** The text of an identifier or keyword token. */
  word = ''
  /** Tokens that may still be read; the parser restores it for what it does not keep as a tree. */
  remaining = Number.POSITIVE_INFINITY
  #keywords = KEYWORDS_3
  #version: 2 | 3 = 3

  constructor(text: string) {
    this.text = text
    if (text.charCodeAt(0) === 0xfeff) this.end = 1
  }

  /** Selects the reserved words; timing and imaginary literals exist only in version 3. */
  setVersion(version: 2 | 3): void {
    this.#version = version
    this.#keywords = version === 2 ? KEYWORDS_2 : KEYWORDS_3
  }

  /** Moves to `offset` and reads the token that begins there. */
  seek(offset: number): void {
    this.end = offset
    this.next()
  }

  /** The text of the current token. */
  lexeme(): string {
    return this.text.slice(this.start, this.end)
  }

  /** Reads the next token. */
  next(): void {
    const { text } = this
    if (--this.remaining < 0) throw tooManyTokens(this.end)
    let at = this.end
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === 32 || code === 10 || code === 13 || code === 9) at++
      else if (code === 47 && text.charCodeAt(at + 1) === 47) at = this.#lineEnd(at)
      else if (code === 47 && text.charCodeAt(at + 1) === 42) at = this.#blockCommentEnd(at)
      else break
    }
    this.start = at
    this.end = at
    if (at >= text.length) {
      this.kind = 'eof'
      return
    }
    this.#readToken(text.charCodeAt(at), at)
  }

  /** The text from the current token to the end of its line. */
  restOfLine(): string {
    return this.text.slice(this.start, this.#lineEnd(this.start)).trimEnd()
  }

  /** Extends the current token to the end of its line, as annotations and pragmas do. */
  skipLine(): void {
    this.end = this.#lineEnd(this.start)
    this.next()
  }

  /** With `{` as current token, skips raw text to the matching `}` and reads the token after it. */
  skipBlock(): void {
    let depth = 1
    let at = this.end
    while (depth > 0) {
      const code = this.text.charCodeAt(at)
      if (Number.isNaN(code)) throw new Fault('syntax_error', this.start, 'This block is not closed: add "}"')
      if (code === 123) depth++
      else if (code === 125) depth--
      at++
    }
    this.end = at
    this.next()
  }

  #lineEnd(from: number): number {
    const newline = this.text.indexOf('\n', from)
    return newline < 0 ? this.text.length : newline
  }

  #blockCommentEnd(from: number): number {
    const close = this.text.indexOf('*/', from + 2)
    if (close < 0) throw new Fault('syntax_error', from, 'This comment is not closed: add "*/"')
    return close + 2
  }

  #readToken(code: number, at: number): void {
    const kind = code < 128 ? (classes[code] ?? OTHER) : WORD_START
    if (kind === WORD_START) this.#readWord(at)
    else if (kind === DIGIT || (code === 46 && isDecimal(this.text.charCodeAt(at + 1)))) this.#readNumber(at)
    else if (code === 34 || code === 39) this.#readString(code, at)
    else if (code === 36) this.#readHardware(at)
    else this.#readSymbol(code, at)
  }

  #readWord(at: number): void {
    const end = this.#wordEnd(at)
    if (end === at) {
      const character = String.fromCodePoint(this.text.codePointAt(at) ?? 0)
      throw new Fault('syntax_error', at, `Unexpected character ${JSON.stringify(character)}`)
    }
    this.end = end
    this.word = this.text.slice(at, end)
    this.kind = this.#keywords.get(this.word) ?? 'identifier'
  }

  /** Offset after the letters, digits and underscores that begin at `from`. */
  #wordEnd(from: number): number {
    const { text } = this
    let at = from
    for (;;) {
      const code = text.charCodeAt(at)
      if (code < 128) {
        if (classes[code] === OTHER) return at
        at++
      } else if (Number.isNaN(code)) {
        return at
      } else {
        const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
        if (!unicodeWordStart.test(character)) return at
        at += character.length
      }
    }
  }

  #readNumber(at: number): void {
    const { text } = this
    const second = text.charCodeAt(at + 1) | 32
    if (
      text.charCodeAt(at) === 48 &&
      this.#version === 3 &&
      (second === 98 || second === 120 || second === 111)
    ) {
      this.#readPrefixed(at, second)
      return
    }
    this.kind = 'integer'
    let end = this.#digitsEnd(at, isDecimal)
    if (text.charCodeAt(end) === 46) {
      this.kind = 'real'
      end = this.#digitsEnd(end + 1, isDecimal)
    }
    end = this.#exponentEnd(end)
    this.end = end
    this.#readUnit(end)
    this.#refuseWordAfterNumber()
  }

  #readPrefixed(at: number, prefix: number): void {
    if (this.text.charCodeAt(at + 1) === 79) {
      throw new Fault('syntax_error', at, 'Write the octal prefix as 0o')
    }
    const accepts = prefix === 98 ? isBinary : prefix === 111 ? isOctal : isHexadecimal
    this.kind = 'integer'
    this.end = this.#digitsEnd(at + 2, accepts)
    if (this.end === at + 2) throw new Fault('syntax_error', at, 'This number has no digits after its prefix')
    this.#refuseWordAfterNumber()
  }

  #exponentEnd(from: number): number {
    if ((this.text.charCodeAt(from) | 32) !== 101) return from
    const sign = this.text.charCodeAt(from + 1)
    const digits = sign === 43 || sign === 45 ? from + 2 : from + 1
    const end = this.#digitsEnd(digits, isDecimal)
    if (end === digits) return from
    this.kind = 'real'
    return end
  }

  /** One underscore is allowed between two digits and nowhere else. */
  #digitsEnd(from: number, accepts: (code: number) => boolean): number {
    const { text } = this
    let at = from
    for (;;) {
      const code = text.charCodeAt(at)
      if (accepts(code)) at++
      else if (code === 95 && at > from && accepts(text.charCodeAt(at + 1))) at++
      else return at
    }
  }

  #readUnit(numberEnd: number): void {
    if (this.#version === 2) return
    let at = numberEnd
    while (this.text.charCodeAt(at) === 32 || this.text.charCodeAt(at) === 9) at++
    const end = this.#wordEnd(at)
    if (end === at || end - at > 2) return
    const unit = this.text.slice(at, end)
    if (!units.includes(unit)) return
    this.kind = unit === 'im' ? 'imaginary' : 'timing'
    this.end = end
  }

  #refuseWordAfterNumber(): void {
    const end = this.#wordEnd(this.end)
    if (end === this.end) return
    const text = this.text.slice(this.start, end)
    throw new Fault('syntax_error', this.start, `"${text}" is neither a number nor a name`)
  }

  #readString(quote: number, at: number): void {
    const { text } = this
    let end = at + 1
    for (;;) {
      const code = text.charCodeAt(end)
      if (code === quote) break
      if (Number.isNaN(code) || code === 10 || code === 13) {
        throw new Fault(
          'syntax_error',
          at,
          'This string is not closed: add the quotation mark on the same line',
        )
      }
      end++
    }
    this.kind = 'string'
    this.end = end + 1
  }

  #readHardware(at: number): void {
    let end = at + 1
    while (isDecimal(this.text.charCodeAt(end))) end++
    if (end === at + 1)
      throw new Fault('syntax_error', at, 'A hardware qubit is written $ and a number, as $0')
    this.kind = 'hardware'
    this.end = end
    this.#refuseWordAfterNumber()
  }

  #readSymbol(code: number, at: number): void {
    for (const symbol of SYMBOLS_BY_CODE[code] ?? []) {
      if (symbol.length === 1 || this.text.startsWith(symbol, at)) {
        this.kind = symbol
        this.end = at + symbol.length
        return
      }
    }
    if (code === 35 && this.text.startsWith('#pragma', at)) {
      this.kind = 'pragma'
      this.end = at + 7
      return
    }
    throw new Fault('syntax_error', at, `Unexpected character ${JSON.stringify(String.fromCharCode(code))}`)
  }
}

function tooManyTokens(at: number): Fault {
  const message =
    'This statement is too long: divide it, or write its gate calls with single qubits, as in h q[0];'
  return new Fault('program_too_large', at, message)
}
