import type { Arity, NativeGate } from '../gates/native-gate.ts'
import type { DefNode, GateNode } from '../syntax/ast.ts'
import type { ScalarType, Type } from '../values/types.ts'
import type { ArrayValue, BitsValue, QubitsValue, Value } from '../values/values.ts'

/** Positions of the arguments of a gate that act on one another. */
export type Joined = readonly number[]

/** A gate of the program. */
export interface UserGate extends Arity {
  kind: 'user'
  name: string
  node: GateNode
  /** Operations of one call, counted once from the definition; a loop counts as one iteration. */
  steps: number
  /** A gate in its body whose omitted phase a modifier of this gate makes observable. */
  omits: NativeGate | undefined
  /** The arguments that act on one another in its body; known while checking. */
  joins: readonly Joined[]
}

export type Gate = NativeGate | UserGate

/** A scalar that is replaced when assigned to. */
interface Variable {
  kind: 'variable'
  type: ScalarType
  value: Value
  constant: boolean
}

/** Bits, qubits or an array: assigned in place. */
export interface Reference {
  kind: 'reference'
  value: BitsValue | QubitsValue | ArrayValue
  constant: boolean
}

/** A subroutine with the types of its arguments and result. */
export interface Subroutine {
  kind: 'def'
  node: DefNode
  arguments: readonly Type[]
  result: Type
}

/** What a name refers to. `broken` marks a refused declaration, whose uses are not reported again. */
export type Entry =
  | Variable
  | Reference
  | Subroutine
  /** `implied`: the program neither defines nor includes it. */
  | { kind: 'gate'; gate: Gate; implied?: true }
  | { kind: 'extern'; arguments: readonly Type[]; result: Type }
  | { kind: 'broken' }

/** A resolved name, and whether it lies outside the current gate or subroutine. */
export interface Found {
  entry: Entry
  outside: boolean
}

/** The names of one block; inner names shadow outer ones. */
export class Scope {
  readonly kind: 'global' | 'block' | 'gate' | 'def'
  readonly parent: Scope | undefined
  readonly #entries = new Map<string, Entry>()

  constructor(kind: Scope['kind'], parent?: Scope) {
    this.kind = kind
    this.parent = parent
  }

  /** The entry declared in this block itself. */
  own(name: string): Entry | undefined {
    return this.#entries.get(name)
  }

  set(name: string, entry: Entry): void {
    this.#entries.set(name, entry)
  }

  /** The same names in this parent. */
  copy(copyOf: (entry: Entry) => Entry, parent?: Scope): Scope {
    const copy = new Scope(this.kind, parent)
    for (const [name, entry] of this.#entries) copy.#entries.set(name, copyOf(entry))
    return copy
  }

  /** The names of the entries of these kinds, from the innermost block outwards. */
  *names(...kinds: Entry['kind'][]): Generator<string> {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      for (const [name, { kind }] of scope.#entries) if (kinds.includes(kind)) yield name
    }
  }

  /** The scope of the top level, which contains this block. */
  global(): Scope {
    let scope: Scope = this
    while (scope.parent !== undefined) scope = scope.parent
    return scope
  }

  /** Looks up a name from the innermost block outwards. */
  find(name: string): Found | undefined {
    let outside = false
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      const entry = scope.#entries.get(name)
      if (entry !== undefined) return { entry, outside }
      if (scope.kind === 'gate' || scope.kind === 'def') outside = true
    }
    return undefined
  }

  /** The innermost gate, subroutine or program this block belongs to. */
  owner(): 'global' | 'gate' | 'def' {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      if (scope.kind !== 'block') return scope.kind
    }
    return 'global'
  }
}
