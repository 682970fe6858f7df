/** UTC times as requests have them; `2026-01-31 09:05:00.000Z` in responses. */
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})$/

/** Values that a submission may state or omit. */
const DEFAULTS: Readonly<Record<string, unknown>> = { meas_level: 2, meas_return: 'single' }

/** Whether `actual` has all of `expected`; objects may have more keys, times are compared as instants. */
export function hasAll(actual: unknown, expected: unknown): boolean {
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, at) => hasAll(actual[at], item))
    )
  if (isObject(expected))
    return isObject(actual) && Object.entries(expected).every(([key, value]) => hasAll(actual[key], value))
  if (typeof expected === 'number' && typeof actual === 'number')
    return Math.abs(actual - expected) <= 1e-12 * Math.max(1, Math.abs(expected))
  if (isTime(expected) && isTime(actual)) return Date.parse(actual) === Date.parse(expected)
  return actual === expected
}

/** Whether two bodies of requests to `path` mean the same. */
export function isSameBody(path: string, one: unknown, other: unknown): boolean {
  const [left, right] = [plainBody(path, one), plainBody(path, other)]
  return hasAll(left, right) && hasAll(right, left)
}

/** The body without what may be omitted, and circuits that consist of a program only as text. */
function plainBody(path: string, body: unknown): unknown {
  if (!isObject(body)) return body
  const isSubmission = path === '/api/jobs'
  const isDefault = (key: string, value: unknown) =>
    value === '' ||
    (key === 'wait' && path === '/api/jobs/changes') ||
    (isSubmission && (value === null || value === false || DEFAULTS[key] === value || isEmptyList(value)))
  const kept = Object.fromEntries(Object.entries(body).filter(([key, value]) => !isDefault(key, value)))
  const { circuits } = kept
  return isSubmission && Array.isArray(circuits) ? { ...kept, circuits: circuits.map(plainCircuit) } : kept
}

function plainCircuit(circuit: unknown): unknown {
  return isObject(circuit) && Object.keys(circuit).join() === 'circuit' ? circuit['circuit'] : circuit
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && TIME.test(value)
}
