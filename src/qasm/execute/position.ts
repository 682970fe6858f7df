import type { Sink } from '../circuit.ts'
import type { Statement } from '../syntax/ast.ts'
import type { Cell, Value } from '../values/values.ts'
import type { Layout } from './layout.ts'
import type { Entry, Scope } from './scope.ts'

/** A sink whose run may be left before a statement, for others to go on from there. */
export interface LeavableSink extends Sink {
  /** Called before statements outside subroutines and boxes; `take` returns the position. */
  pause?(take: () => Position): void
}

/** A block that is being executed. */
interface Frame {
  statements: readonly Statement[]
  /** The statement that is executed next, or now if a frame follows. */
  index: number
  scope: Scope
  /** The values of the `for` loop that is executed now, by turn. */
  values?: ((turn: number) => Value | undefined) | undefined
  /** Turns of that loop that have begun. */
  turns: number
}

/** What a run has counted. */
export interface Counts {
  /** Inputs that have their values. */
  inputs: number
  operations: number
  iterations: number
}

/** How far a run has come, with all its values. */
export interface Position {
  /** From the program to the innermost block. */
  readonly frames: readonly Frame[]
  readonly layout: Layout
  readonly counts: Counts
  readonly evaluations: number
  readonly includesLibrary: boolean
}

/** A position whose values are assigned to apart; names that share bits or elements share them in it, too. */
function copyPosition(position: Position): Position {
  const known = new Map<object, object>()
  const once = <T extends object>(original: T, make: () => T): T => {
    const copy = (known.get(original) as T | undefined) ?? make()
    known.set(original, copy)
    return copy
  }
  const copyCell = (cell: Cell): Cell => once(cell, () => ({ ...cell }))
  const copyValue = (value: Value): Value => {
    if (value.kind === 'bits') return { ...value, cells: value.cells.map(copyCell) }
    if (value.kind !== 'array') return value
    return { ...value, store: once(value.store, () => value.store.copy(copyValue)) }
  }
  const copyEntry = (entry: Entry): Entry =>
    'value' in entry ? ({ ...entry, value: copyValue(entry.value) } as Entry) : entry
  const copyScope = (scope: Scope): Scope =>
    once(scope, () => scope.copy(copyEntry, scope.parent && copyScope(scope.parent)))
  const { layout } = position
  return {
    ...position,
    counts: { ...position.counts },
    frames: position.frames.map((frame) => ({ ...frame, scope: copyScope(frame.scope) })),
    layout: {
      ...layout,
      qregs: [...layout.qregs],
      cregs: [...layout.cregs],
      cells: layout.cells.map(copyCell),
    },
  }
}

/** The blocks that a run is in; at first those where another run was left. */
export class Blocks {
  readonly #frames: Frame[] = []
  /** Until its innermost block is entered. */
  #from: Position | undefined

  /** The runs that go on from a position do not change it. */
  goTo(from: Position): void {
    this.#from = copyPosition(from)
  }

  /** The next block to be entered where another run was left. */
  get left(): Frame | undefined {
    return this.#from?.frames[this.#frames.length]
  }

  /** The block that is being executed. */
  get innermost(): Frame | undefined {
    return this.#frames.at(-1)
  }

  /** Enters a block; with `reached` when that is the one where another run was left. */
  enter(statements: readonly Statement[], scope: Scope): { frame: Frame; reached?: Position | undefined } {
    const [from, left] = [this.#from, this.left]
    const frame = left ?? { statements, index: 0, scope, turns: 0 }
    if (this.#frames.push(frame) !== from?.frames.length) return { frame }
    this.#from = undefined
    return { frame, reached: from }
  }

  leave(): void {
    this.#frames.pop()
  }

  /** The position of a run with these values. */
  position(rest: Omit<Position, 'frames'>): Position {
    return copyPosition({ ...rest, frames: this.#frames })
  }
}
