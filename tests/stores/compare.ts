/** What no two servers have in common: ids, keys and secrets of random characters. */
const RANDOM =
  /(?<![0-9A-Za-z])(?:[0-9a-z]{15}|[0-9a-f]{32,}|ey[\w-]+\.[\w-]+\.[\w-]+|svc_[a-z]+_[\w-]+|(?<=127\.0\.0\.1:)\d+|whsec_[\w+/=]+)(?![0-9A-Za-z])/g

/** A text with the same in place of all that is random. */
const withoutRandom = (text: string): string => text.replaceAll(RANDOM, '…')

/**
 * Compares the responses of two servers that have got the same requests. What is random has to stand for the
 * same in all of them: each id of one server belongs to one id of the other.
 */
export class Comparison {
  readonly #right = new Map<string, string>()
  readonly #left = new Map<string, string>()

  /** Where the two differ, with both values; undefined if they do not. */
  difference(left: unknown, right: unknown, at = ''): string | undefined {
    if (typeof left === 'string' && typeof right === 'string') {
      return this.#isSameText(left, right) ? undefined : difference(at, left, right)
    }
    if (isNested(left) && isNested(right)) return this.#inside(left, right, at)
    return Object.is(left, right) ? undefined : difference(at, left, right)
  }

  /** The order of keys is a part of the text that a client gets. */
  #inside(left: object, right: object, at: string): string | undefined {
    const [keys, others] = [Object.keys(left), Object.keys(right)]
    if (keys.length !== others.length || Array.isArray(left) !== Array.isArray(right)) {
      return difference(at, left, right)
    }
    for (const [index, key] of keys.entries()) {
      const other = others[index] ?? ''
      if (!this.#isSameText(key, other)) return difference(`${at}.${key}`, keys, others)
      const [ours, theirs] = [Reflect.get(left, key), Reflect.get(right, other)]
      const found = key === 'request_id' ? undefined : this.difference(ours, theirs, `${at}.${key}`)
      if (found !== undefined) return found
    }
    return undefined
  }

  #isSameText(left: string, right: string): boolean {
    if (left === right) return true
    if (withoutRandom(left) !== withoutRandom(right)) return false
    const [ours, theirs] = [left.match(RANDOM) ?? [], right.match(RANDOM) ?? []]
    return ours.every((each, index) => this.#isPair(each, theirs[index] ?? ''))
  }

  #isPair(left: string, right: string): boolean {
    if (!this.#right.has(left) && !this.#left.has(right)) {
      this.#right.set(left, right)
      this.#left.set(right, left)
    }
    return this.#right.get(left) === right && this.#left.get(right) === left
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

function difference(at: string, left: unknown, right: unknown): string {
  return `at ${at || 'the root'}: ${shown(left)} and ${shown(right)}`
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 400)
}
