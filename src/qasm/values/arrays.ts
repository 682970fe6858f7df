import { ZERO } from '../rational.ts'
import { convert } from './convert.ts'
import type { ScalarType } from './types.ts'
import {
  type ArrayStore,
  type ArrayValue,
  durationValue,
  freshBits,
  unknownValue,
  type Value,
} from './values.ts'

/** The initial value of a variable without an initializer: zero. */
export function zeroValue(type: ScalarType): Value {
  switch (type.kind) {
    case 'bool':
      return { kind: 'bool', value: false }
    case 'bit':
      return freshBits([0], true)
    case 'bits':
      return freshBits(new Array(Math.max(type.size, 0)).fill(0), false)
    case 'int':
    case 'uint':
      return { kind: 'int', signed: type.kind === 'int', width: type.width, value: 0n }
    case 'float':
      return { kind: 'float', width: type.width, value: 0 }
    case 'angle':
      return { kind: 'angle', width: type.width, value: 0n }
    case 'complex':
      return { kind: 'complex', re: 0, im: 0 }
    case 'duration':
      return durationValue(ZERO)
  }
}

/** Row-major strides of a shape. */
function stridesOf(shape: readonly number[]): number[] {
  const strides: number[] = []
  let stride = 1
  for (let dimension = shape.length - 1; dimension >= 0; dimension--) {
    strides.unshift(stride)
    stride *= Math.max(shape[dimension] ?? 1, 0)
  }
  return strides
}

/** Number of elements of a shape. */
export function sizeOfShape(shape: readonly number[]): number {
  return shape.reduce((size, dimension) => size * Math.max(dimension, 0), 1)
}

/** Names of the elements of an array, such as `a[0, 1]`, in the order of its memory. */
export function elementNames(name: string, shape: readonly number[]): string[] {
  let places = ['']
  for (const size of shape)
    places = places.flatMap((place) => Array.from({ length: size }, (_, index) => `${place}, ${index}`))
  return places.map((place) => `${name}[${place.slice(2)}]`)
}

/** Creates an array of zeros. */
export function newArray(element: ScalarType, shape: readonly number[]): ArrayValue {
  const store = storeOf(Array.from({ length: sizeOfShape(shape) }, () => zeroValue(element)))
  return { kind: 'array', element, shape, strides: stridesOf(shape), offset: 0, store, readonly: false }
}

function storeOf(cells: Value[]): ArrayStore {
  return {
    get: (index) => cells[index] as Value,
    set: (index, value) => {
      cells[index] = value
    },
    copy: (copyOf) => storeOf(cells.map(copyOf)),
  }
}

/** An array whose elements are known only at run time; assignments to it are discarded. */
export function unknownArray(element: ScalarType, shape: readonly number[]): ArrayValue {
  const store: ArrayStore = { get: () => unknownValue(element), set: () => undefined, copy: () => store }
  return { kind: 'array', element, shape, strides: stridesOf(shape), offset: 0, store, readonly: false }
}

/** Positions of the elements of a view in its store, in row-major order. */
function placesOf(array: ArrayValue): number[] {
  let places = [array.offset]
  for (const [dimension, size] of array.shape.entries()) {
    const stride = array.strides[dimension] ?? 0
    places = places.flatMap((place) =>
      Array.from({ length: Math.max(size, 0) }, (_, index) => place + index * stride),
    )
  }
  return places
}

/** The elements of a view in row-major order. */
export function elementsOf(array: ArrayValue): Value[] {
  return placesOf(array).map((place) => array.store.get(place))
}

/** Copies the elements of one view over those of another of the same shape. */
export function copyArray(from: ArrayValue, to: ArrayValue, at: number): void {
  const values = elementsOf(from)
  for (const [index, place] of placesOf(to).entries()) {
    const value = values[index]
    if (value !== undefined) to.store.set(place, convert(value, to.element, at))
  }
}
