import { Fault } from '../fault.ts'
import type { AssignNode, Expression, IndexedNode, NameNode } from '../syntax/ast.ts'
import { copyArray, elementsOf, newArray, sizeOfShape } from '../values/arrays.ts'
import { convert } from '../values/convert.ts'
import { describeType } from '../values/types.ts'
import { type ArrayValue, type BitsValue, typeOf, UNDETERMINED, type Value } from '../values/values.ts'
import { applyBinary, Broken, convertTo, evaluate, evaluateFor, findName } from './evaluate.ts'
import { indexArray, indexValue, patternOf } from './indexing.ts'
import type { Machine } from './machine.ts'
import type { Found } from './scope.ts'

/** `target = value` and `target op= value`. */
export function assign(m: Machine, node: AssignNode): void {
  const { target, operator } = node
  const base = baseName(target)
  expectAssignable(findName(m, base.name, base.at), base)
  const current = evaluate(m, target)
  let value = evaluateFor(m, node.value, typeOf(current))
  if (operator !== undefined) value = applyBinary(m, operator, current, value, node.at)
  write(m, target, value, node.value.at)
}

function baseName(target: Expression): NameNode {
  let base = target
  while (base.kind === 'index') base = base.base
  if (base.kind !== 'name') throw new Fault('not_assignable', target.at, 'Only a name can be assigned to')
  return base
}

function expectAssignable({ entry, outside }: Found, { name, at }: NameNode): void {
  switch (entry.kind) {
    case 'broken':
      throw new Broken(at)
    case 'variable':
    case 'reference':
      if (entry.kind === 'reference' && entry.value.kind === 'qubits') {
        throw new Fault('type_mismatch', at, `"${name}" consists of qubits, which have no value to assign`)
      }
      if (
        entry.constant ||
        (entry.kind === 'reference' && entry.value.kind === 'array' && entry.value.readonly)
      ) {
        throw new Fault('not_assignable', at, `"${name}" is constant`)
      }
      if (outside) {
        throw new Fault(
          'not_assignable',
          at,
          `"${name}" is constant inside a subroutine or gate: return a value instead`,
        )
      }
      break
    default:
      throw new Fault('not_assignable', at, `"${name}" cannot be assigned to`)
  }
}

function write(m: Machine, target: Expression, value: Value, at: number): void {
  if (target.kind === 'index') {
    writePart(m, target, value, at)
    return
  }
  if (target.kind !== 'name') return
  const { entry } = findName(m, target.name, target.at)
  if (entry.kind === 'variable') {
    const converted = convertTo(m, value, entry.type, at)
    if (!m.checking) entry.value = converted
  } else if (entry.kind === 'reference') {
    writeReference(m, entry.value, value, at)
  }
}

function writePart(m: Machine, target: IndexedNode, value: Value, at: number): void {
  const base = evaluate(m, target.base)
  switch (base.kind) {
    case 'bits':
      writeReference(m, indexValue(m, base, target.index, evaluate), value, at)
      break
    case 'array': {
      const view = indexArray(m, base, target.index, evaluate)
      if (view.shape.length > 0) writeReference(m, view, value, at)
      else writeElement(m, view, value, at)
      break
    }
    default: {
      // Bits of a number: change the bit pattern and assign the whole number.
      const pattern = patternOf(base, target.index)
      writeBits(indexValue(m, pattern, target.index, evaluate), value, at)
      const changed = convert(pattern, typeOf(base), target.at, 'cast')
      write(m, target.base, changed, at)
    }
  }
}

function writeElement(m: Machine, view: ArrayValue, value: Value, at: number): void {
  const converted = convertTo(m, value, view.element, at)
  if (!m.checking) view.store.set(view.offset, converted)
}

function writeReference(m: Machine, to: Value, value: Value, at: number): void {
  if (to.kind === 'bits') {
    if (m.checking) convert(value, typeOf(to), at)
    else writeBits(to, value, at)
    return
  }
  const converted = convert(value, typeOf(to), at)
  if (m.checking || to.kind !== 'array' || converted.kind !== 'array') return
  m.countOperations(2 * sizeOfShape(to.shape), at)
  copyArray(snapshot(converted), to, at)
}

/** Copies first, because source and target may be parts of one array. */
function snapshot(array: ArrayValue): ArrayValue {
  const copy = newArray(array.element, array.shape)
  for (const [index, value] of elementsOf(array).entries()) copy.store.set(index, value)
  return copy
}

function writeBits(to: Value, value: Value, at: number): void {
  if (to.kind !== 'bits')
    throw new Fault('type_mismatch', at, `${describeType(typeOf(to))} is not made of bits`)
  const converted = convert(value, typeOf(to), at)
  if (converted.kind === 'bits') copyStates(converted, to)
}

function copyStates(from: BitsValue, to: BitsValue): void {
  for (const [index, cell] of to.cells.entries()) cell.state = from.cells[index]?.state ?? UNDETERMINED
}
