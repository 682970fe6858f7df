import { Fault } from '../fault.ts'
import type { Expression, IndexNode, RangeNode } from '../syntax/ast.ts'
import { toBigInt } from '../values/convert.ts'
import { describeType, isBits, isInteger } from '../values/types.ts'
import {
  type ArrayValue,
  type BitsValue,
  bigIntToBits,
  type Cell,
  type QubitsValue,
  typeOf,
  UNDETERMINED,
  unknownValue,
  type Value,
} from '../values/values.ts'
import { decide, type Machine } from './machine.ts'

type Evaluate = (m: Machine, node: Expression) => Value

/** The integer of an expression; undefined if it is known only at run time (while checking). */
export function integerOf(m: Machine, node: Expression, evaluate: Evaluate): bigint | undefined {
  const value = evaluate(m, node)
  const type = typeOf(value)
  if (!isInteger(type) && !isBits(type)) {
    throw new Fault('type_mismatch', node.at, `An integer is needed here, not ${describeType(type)}`)
  }
  return decide(m, value) ? toBigInt(value, node.at) : undefined
}

/** As `integerOf`, for an index, a size or a number of controls: all allowed ones are doubles. */
export function countOf(m: Machine, node: Expression, evaluate: Evaluate): number | undefined {
  const integer = integerOf(m, node, evaluate)
  if (integer === undefined) return undefined
  const number = Number(integer)
  if (!Number.isSafeInteger(number)) throw new Fault('invalid_value', node.at, 'This number is too large')
  return number
}

/** `index` counted from the end when negative, which only OpenQASM 3 has; throws `index_out_of_range`. */
function within(m: Machine, index: number, size: number, at: number): number {
  const counted = index < 0 && m.version === 3 ? index + size : index
  if (counted >= 0 && counted < size) return counted
  const range = size === 0 ? 'there is nothing to choose from' : `choose from 0 to ${size - 1}`
  throw new Fault('index_out_of_range', at, `Index ${index} is out of range: ${range}`)
}

interface Steps {
  start: number
  step: number
  count: number
}

/** The indices of `a:s:b` over `size` items; undefined if they are known only at run time. */
function rangeSteps(m: Machine, range: RangeNode, size: number, evaluate: Evaluate): Steps | undefined {
  const bound = (node: Expression | undefined) =>
    node === undefined ? undefined : countOf(m, node, evaluate)
  const [start, step = 1, stop] = [bound(range.start), bound(range.step), bound(range.stop)]
  if (step === 0) throw new Fault('invalid_value', range.at, 'The step of a range must not be zero')
  const isOpen = (node: Expression | undefined, value: number | undefined) =>
    node !== undefined && value === undefined
  if (isOpen(range.start, start) || isOpen(range.stop, stop) || isOpen(range.step, bound(range.step)))
    return undefined
  if (size < 0) return undefined
  const from = within(m, start ?? (step > 0 ? 0 : size - 1), size, range.at)
  const to = within(m, stop ?? (step > 0 ? size - 1 : 0), size, range.at)
  return { start: from, step, count: Math.max(0, Math.floor((to - from) / step) + 1) }
}

/** Positions that an index selects; `scalar` if it selects one item rather than a register. */
interface Selection {
  scalar: boolean
  /** -1 for a position that is known only at run time. */
  positions: number[]
  open: boolean
}

function selectPositions(m: Machine, index: IndexNode, size: number, evaluate: Evaluate): Selection {
  const position = (node: Expression) => {
    const value = countOf(m, node, evaluate)
    return value === undefined || size < 0 ? -1 : within(m, value, size, node.at)
  }
  if (index.kind === 'set') return { scalar: false, positions: index.elements.map(position), open: false }
  const [item, extra] = index.items
  if (item === undefined || extra !== undefined) {
    throw new Fault('type_mismatch', index.at, 'A register has one index; use braces to select several')
  }
  if (item.kind !== 'range') return { scalar: true, positions: [position(item)], open: false }
  const steps = rangeSteps(m, item, size, evaluate)
  if (steps === undefined) return { scalar: false, positions: [], open: true }
  if (steps.count === 0) throw new Fault('index_out_of_range', item.at, 'This range is empty')
  const positions = Array.from({ length: steps.count }, (_, step) => steps.start + step * steps.step)
  return { scalar: false, positions, open: false }
}

/** The indexed part of a value: a reference for registers and arrays, new bits for numbers. */
export function indexValue(m: Machine, base: Value, index: IndexNode, evaluate: Evaluate): Value {
  switch (base.kind) {
    case 'bits':
      return base.scalar ? refuse(base, index) : indexBits(m, base, index, evaluate)
    case 'qubits':
      return base.scalar ? refuse(base, index) : indexQubits(m, base, index, evaluate)
    case 'array':
      return elementOrView(indexArray(m, base, index, evaluate))
    default:
      return indexBits(m, patternOf(base, index), index, evaluate)
  }
}

function refuse(base: Value, index: IndexNode): never {
  throw new Fault('type_mismatch', index.at, `${describeType(typeOf(base))} has no parts to index`)
}

/** The bit pattern of an integer or angle as bits. */
export function patternOf(value: Value, index: IndexNode): BitsValue {
  const type = typeOf(value)
  if ((!isInteger(type) && type.kind !== 'angle') || type.width === 0) return refuse(value, index)
  const bits =
    value.kind === 'unknown'
      ? unknownValue({ kind: 'bits', size: type.width })
      : bigIntToBits(toBigInt(value, index.at), type.width, false)
  return bits.kind === 'bits' ? bits : refuse(value, index)
}

function indexBits(m: Machine, base: BitsValue, index: IndexNode, evaluate: Evaluate): BitsValue {
  const { scalar, positions, open } = selectPositions(m, index, base.open ? -1 : base.cells.length, evaluate)
  const cells = positions.map((position) => base.cells[position] ?? { state: UNDETERMINED })
  return open ? { kind: 'bits', scalar, cells, open } : { kind: 'bits', scalar, cells }
}

function indexQubits(m: Machine, base: QubitsValue, index: IndexNode, evaluate: Evaluate): QubitsValue {
  const { scalar, positions, open } = selectPositions(m, index, base.open ? -1 : base.qubits.length, evaluate)
  const qubits = positions.map((position) => base.qubits[position] ?? -1)
  return open ? { kind: 'qubits', scalar, qubits, open } : { kind: 'qubits', scalar, qubits }
}

/** The view of an array that an index selects; a single element if no dimension is left. */
export function indexArray(m: Machine, base: ArrayValue, index: IndexNode, evaluate: Evaluate): ArrayValue {
  if (index.kind === 'set') throw new Fault('type_mismatch', index.at, 'Arrays are not indexed by sets')
  if (index.items.length > base.shape.length) {
    throw new Fault('index_out_of_range', index.at, `The array has only ${base.shape.length} dimensions`)
  }
  const shape: number[] = []
  const strides: number[] = []
  let { offset } = base
  for (const [dimension, item] of index.items.entries()) {
    const size = base.shape[dimension] ?? 0
    const stride = base.strides[dimension] ?? 0
    if (item.kind === 'range') {
      const steps = rangeSteps(m, item, size, evaluate)
      shape.push(steps?.count ?? -1)
      strides.push(stride * (steps?.step ?? 1))
      offset += stride * (steps?.start ?? 0)
    } else {
      const position = countOf(m, item, evaluate)
      if (position !== undefined && size >= 0) offset += stride * within(m, position, size, item.at)
    }
  }
  const rest = index.items.length
  return {
    ...base,
    offset,
    shape: [...shape, ...base.shape.slice(rest)],
    strides: [...strides, ...base.strides.slice(rest)],
  }
}

function elementOrView(view: ArrayValue): Value {
  return view.shape.length === 0 ? view.store.get(view.offset) : view
}

/** The bits that an expression reads; undefined for one with calls or measurements. */
export function cellsIn(m: Machine, node: object, evaluate: Evaluate): readonly Cell[] | undefined {
  const { kind } = node as { kind?: string }
  if (kind === 'call' || kind === 'measure') return undefined
  const parts = Object.values(node).filter((part) => typeof part === 'object' && part !== null)
  const cells = parts.map((part: object) => cellsIn(m, part, evaluate))
  // Before anything is evaluated: a call in an index is executed once.
  if (cells.some((found) => !found)) return undefined
  if (kind !== 'name' && kind !== 'index') return cells.flatMap((found) => found ?? [])
  const value = evaluate(m, node as Expression)
  return value.kind === 'bits' ? value.cells : []
}
