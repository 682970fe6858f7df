const FACTORS: Record<string, number> = { pi: Math.PI, π: Math.PI, tau: 2 * Math.PI, τ: 2 * Math.PI }
const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([a-zπτ]+)|([-−+*×/()]))/y

/**
 * The value of a number or of an expression with `pi`, `tau`, + − × / and parentheses; a message about what
 * is wrong otherwise.
 */
export function readExpression(text: string): number | string {
  const tokens = tokensOf(text)
  if (typeof tokens === 'string') return tokens
  if (tokens.length === 0) return 'A value is missing'
  const reader = new Reader(tokens)
  const value = reader.sum()
  if (value === undefined || !reader.isAtEnd()) return `${text.trim()} is not complete`
  return Number.isFinite(value) ? value : `${text.trim()} is not a finite number`
}

type Token = number | '-' | '+' | '*' | '/' | '(' | ')'
const OPERATORS: Record<string, Token> = { '−': '-', '×': '*' }

function tokensOf(text: string): Token[] | string {
  const tokens: Token[] = []
  TOKEN.lastIndex = 0
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [, number, word, sign] = match
    if (number !== undefined) tokens.push(Number(number))
    else if (word !== undefined) {
      const value = FACTORS[word]
      if (value === undefined) return `${word} is unknown`
      tokens.push(value)
    } else if (sign !== undefined) tokens.push(OPERATORS[sign] ?? (sign as Token))
    if (TOKEN.lastIndex >= text.trimEnd().length) return tokens
  }
  return text.trim() === '' ? [] : `${text.trim()} is not a number`
}

/** Reads sums of products of signed values. */
class Reader {
  readonly #tokens: readonly Token[]
  #at = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  isAtEnd(): boolean {
    return this.#at === this.#tokens.length
  }

  sum(): number | undefined {
    let value = this.#product()
    while (value !== undefined && (this.#peek() === '+' || this.#peek() === '-')) {
      const sign = this.#next() === '+' ? 1 : -1
      const next = this.#product()
      value = next === undefined ? undefined : value + sign * next
    }
    return value
  }

  #product(): number | undefined {
    let value = this.#signed()
    while (value !== undefined && (this.#peek() === '*' || this.#peek() === '/')) {
      const isProduct = this.#next() === '*'
      const next = this.#signed()
      if (next === undefined) return undefined
      value = isProduct ? value * next : value / next
    }
    return value
  }

  #signed(): number | undefined {
    const token = this.#next()
    if (typeof token === 'number') return token
    if (token === '-' || token === '+') {
      const value = this.#signed()
      return value === undefined ? undefined : token === '-' ? -value : value
    }
    if (token !== '(') return undefined
    const value = this.sum()
    return this.#next() === ')' ? value : undefined
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#at]
  }

  #next(): Token | undefined {
    return this.#tokens[this.#at++]
  }
}
