import type { DefNode } from '../syntax/ast.ts'
import type { ScalarType, Type } from '../values/types.ts'
import type { ArrayValue, BitsValue, QubitsValue, Value } from '../values/values.ts'
import type { Gate } from './user-gate.ts'

/** A scalar that is replaced when assigned to. */
export interface Variable {
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

/** What a name stands for. `broken` is a declaration that was refused: using it is no further problem. */
export type Entry =
  | Variable
  | Reference
  | Subroutine
  | { kind: 'gate'; gate: Gate }
  | { kind: 'extern'; arguments: readonly Type[]; result: Type }
  | { kind: 'broken' }

/** A name found, and whether that crossed the border of a gate or subroutine. */
export interface Found {
  entry: Entry
  outside: boolean
}

/** The names of one block; inner names hide outer ones. */
export class Scope {
  readonly kind: 'global' | 'block' | 'gate' | 'def'
  readonly parent: Scope | undefined
  readonly #entries = new Map<string, Entry>()

  constructor(kind: Scope['kind'], parent?: Scope) {
    this.kind = kind
    this.parent = parent
  }

  /** The entry declared in this very block. */
  own(name: string): Entry | undefined {
    return this.#entries.get(name)
  }

  set(name: string, entry: Entry): void {
    this.#entries.set(name, entry)
  }

  /** Looks a name up from the inside out. */
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
