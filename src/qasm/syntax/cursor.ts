import { Fault } from '../fault.ts'
import type { Arity } from '../gates/native-gate.ts'
import type { Limits } from '../limits.ts'
import { Lexer } from './lexer.ts'
import type { TokenKind } from './tokens.ts'

/** Size of a qubit that is not a register: it has no index. */
export const SINGLE = -1

/** Reads a program token by token for the parser and counts the nesting depth. */
export class Cursor {
  readonly lexer: Lexer
  readonly limits: Limits
  version: 2 | 3 = 3
  /** Names declared so far at the top level. */
  names = 0
  /** Gates declared so far at the top level, for packing plain calls. */
  readonly gates = new Map<string, Arity>()
  /**
   * Qubit registers of literal size declared so far at the top level, for packing plain calls. In a gate or
   * subroutine: its qubits.
   */
  registers = new Map<string, number>()
  /** Whether an `include` was read. */
  includesLibrary = false
  /** Whether a time was read in `dt`. */
  usesDt = false
  /** Names of OpenQASM 2 that were read as a wait. */
  readonly waits = new Set<string>()
  /** How often blocks around the current token declare a name, which hides a gate or register. */
  readonly #hidden = new Map<string, number>()
  #declared: string[] = []
  #depth = 0

  constructor(text: string, limits: Limits) {
    this.lexer = new Lexer(text)
    this.limits = limits
  }

  get kind(): TokenKind {
    return this.lexer.kind
  }

  get at(): number {
    return this.lexer.start
  }

  /** Whether the current token is of this kind. */
  is(kind: TokenKind): boolean {
    return this.lexer.kind === kind
  }

  next(): void {
    this.lexer.next()
  }

  setVersion(version: 2 | 3): void {
    this.version = version
    this.lexer.setVersion(version)
  }

  /** Consumes the token if it is of this kind. */
  accept(kind: TokenKind): boolean {
    if (this.lexer.kind !== kind) return false
    this.lexer.next()
    return true
  }

  /** Consumes a token of this kind and returns its offset; throws for any other token. */
  expect(kind: TokenKind): number {
    const at = this.lexer.start
    if (this.lexer.kind !== kind) throw this.unexpected(`"${kind}"`)
    this.lexer.next()
    return at
  }

  /** Consumes a name and returns it. */
  expectName(): string {
    if (this.lexer.kind !== 'identifier') throw this.unexpected('a name')
    const { word } = this.lexer
    this.lexer.next()
    return word
  }

  /** The fault for an unexpected token. */
  unexpected(wanted: string): Fault {
    const found = this.lexer.kind === 'eof' ? 'the end of the program' : JSON.stringify(this.lexer.lexeme())
    return new Fault('syntax_error', this.lexer.start, `Expected ${wanted} but found ${found}`)
  }

  /** Enters a nested construct; every recursive path of the parser calls it. */
  enter(): void {
    if (++this.#depth > this.limits.nesting) {
      throw new Fault(
        'nesting_too_deep',
        this.lexer.start,
        `Nested deeper than ${this.limits.nesting} levels`,
      )
    }
  }

  /** Whether a name may refer to something else than a gate or register of the top level. */
  isHidden(name: string): boolean {
    return this.#hidden.has(name)
  }

  /** Records a name that the current block declares. */
  hide(name: string): void {
    this.#declared.push(name)
    this.#hidden.set(name, (this.#hidden.get(name) ?? 0) + 1)
  }

  /** Runs `work`, which reads a block; the names that it hides are visible again afterwards. */
  inBlock<T>(work: () => T): T {
    const outer = this.#declared
    this.#declared = []
    const result = work()
    for (const name of this.#declared) {
      const count = (this.#hidden.get(name) ?? 0) - 1
      if (count > 0) this.#hidden.set(name, count)
      else this.#hidden.delete(name)
    }
    this.#declared = outer
    return result
  }

  /** Like `inBlock`, for the body of a gate or subroutine, where only `qubits` can be operands. */
  inDefinition<T>(qubits: readonly string[], work: () => T): T {
    const outer = this.registers
    this.registers = new Map(qubits.map((name) => [name, SINGLE]))
    const result = this.inBlock(work)
    this.registers = outer
    return result
  }

  /** Forgets the constructs around the current token: reading continues at the top level. */
  recover(): void {
    this.#depth = 0
    this.#hidden.clear()
    this.#declared = []
  }

  /** Leaves a nested construct. */
  leave(): void {
    this.#depth--
  }

  /** One or more items separated by commas; version 3 allows a comma at the end. */
  list<T>(item: () => T, closes: TokenKind): T[] {
    const items = [item()]
    while (this.accept(',')) {
      if (this.version === 3 && this.lexer.kind === closes) break
      items.push(item())
    }
    return items
  }
}
