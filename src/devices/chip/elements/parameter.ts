import * as v from 'valibot'

/** A parameter of an element: the schema of its value, and the value where the file has none. */
interface Parameter<T = unknown, Absent = unknown> {
  schema: v.GenericSchema<unknown, T>
  /** Value of a parameter that the file leaves out or has as `.nan`. */
  absent: Absent
  /** Whether 0 stands for a value that was never measured, as `.nan` does. */
  zeroIsAbsent: boolean
  /** SI unit; empty for a number without one. */
  unit: string
}

/** Parameters by path: the submodule and the name, such as `rxy.amp180`. */
export type ParameterTable = Readonly<Record<string, Parameter>>

/** What a parameter reads as. */
export type ValueOf<P> = P extends Parameter<infer T, infer Absent> ? T | Absent : never

/** Converts the texts that other YAML readers write for numbers, such as `"4.8e9"`. */
const asNumber = v.pipe(
  v.unknown(),
  v.transform((value) =>
    typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
      ? Number(value)
      : value,
  ),
)

function numberFrom(min: number, max: number): v.GenericSchema<unknown, number> {
  const message = `expected a number from ${min} to ${max}`
  return v.pipe(asNumber, v.number(message), v.minValue(min, message), v.maxValue(max, message))
}

/** A number with a default. */
export function setting(unit: string, absent: number, min: number, max: number): Parameter<number, number> {
  return { schema: numberFrom(min, max), absent, zeroIsAbsent: false, unit }
}

/** A number that only a measurement yields; absent, `.nan` and 0 all mean that there was none. */
export function measured(unit: string, min: number, max: number): Parameter<number, undefined> {
  return { schema: numberFrom(min, max), absent: undefined, zeroIsAbsent: true, unit }
}

/** A number that may be left out; 0 is a value like any other. */
export function optional(unit: string, min: number, max: number): Parameter<number, undefined> {
  return { ...measured(unit, min, max), zeroIsAbsent: false }
}

/** A whole number that may be left out. */
export function index(min: number, max: number): Parameter<number, undefined> {
  const message = `expected a whole number from ${min} to ${max}`
  const schema = v.pipe(
    asNumber,
    v.number(message),
    v.integer(message),
    v.minValue(min, message),
    v.maxValue(max, message),
  )
  return { schema, absent: undefined, zeroIsAbsent: false, unit: '' }
}

/** A table of numbers with fixed numbers of rows and columns, row by row. */
export function matrix(
  rows: number,
  columns: number,
  [min, max]: readonly [number, number],
): Parameter<readonly (readonly number[])[], undefined> {
  const message = `expected ${rows} rows of ${columns} numbers from ${min} to ${max}`
  const entry = v.pipe(asNumber, v.number(message), v.minValue(min, message), v.maxValue(max, message))
  const row = v.pipe(v.array(entry, message), v.length(columns, message))
  const schema = v.pipe(v.array(row, message), v.length(rows, message))
  return { schema, absent: undefined, zeroIsAbsent: false, unit: '' }
}

/** One of some words. */
export function word<const Words extends readonly string[], Absent extends Words[number] | undefined>(
  words: Words,
  absent: Absent,
): Parameter<Words[number], Absent> {
  const schema = v.picklist(words, `expected one of ${words.join(', ')}`)
  return { schema, absent, zeroIsAbsent: false, unit: '' }
}

/** Any other value. */
export function value<T, Absent extends T | undefined>(
  schema: v.GenericSchema<unknown, T>,
  absent: Absent,
): Parameter<T, Absent> {
  return { schema, absent, zeroIsAbsent: false, unit: '' }
}
