import { isFields } from '../elements/element-type.ts'

/** A number, or a table of numbers row by row. */
export type Numbers = number | readonly Numbers[]

/** A value to set in a file. */
export interface Leaf {
  /** Keys that lead to it. */
  path: readonly string[]
  value: Numbers
}

/** The content of a file with other values. */
export function withLeaves(content: unknown, leaves: readonly Leaf[]): unknown {
  return leaves.reduce((changed, { path, value }) => withValueAt(changed, path, value), content)
}

/** The value at some keys, if they lead to one. */
export function valueAt(content: unknown, path: readonly string[]): unknown {
  return path.reduce(
    (inside, key) => (isFields(inside) && Object.hasOwn(inside, key) ? inside[key] : undefined),
    content,
  )
}

/** Whether two contents are equal; the order of keys does not matter, and a value may be NaN. */
export function isSameContent(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSameContent(each, other[index]))
  }
  if (!(isFields(one) && isFields(other))) return Object.is(one, other) || (one === 0 && other === 0)
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && isSameContent(one[key], other[key]))
  )
}

function withValueAt(content: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value
  const fields = isFields(content) ? content : {}
  return { ...fields, [key]: withValueAt(fields[key], rest, value) }
}
