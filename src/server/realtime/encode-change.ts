const encoder = new TextEncoder()

/** Stands for a value that is too large for an event. */
export const OMITTED = Symbol('omitted')

/** Encodes the `data:` line of an event, to be sent to any number of streams. */
export function encodeData(value: unknown): Uint8Array {
  return encoder.encode(`data:${JSON.stringify(value)}\n\n`)
}

/** JSON texts of the values of one record, so that several forms of it share them. */
export type ValueTexts = WeakMap<object, string>

interface EncodeOptions {
  /** Maximum size of the record in bytes of JSON. */
  maxBytes: number
  texts?: ValueTexts
}

/**
 * Encodes the `data:` line of a change. From a larger record the largest values (the payload or the results
 * of a job) are omitted until it fits; `omitted` next to the record lists their names. Clients fetch these
 * values: a change may go to thousands of clients, and few of them need megabytes.
 */
export function encodeChange(
  action: string,
  record: Readonly<Record<string, unknown>>,
  { maxBytes, texts = new WeakMap() }: EncodeOptions,
): Uint8Array {
  const values = Object.entries(record).flatMap(([name, value]) => {
    if (value === OMITTED) return [{ name, json: '', bytes: Number.POSITIVE_INFINITY }]
    const json = jsonOf(value, texts)
    return json === undefined ? [] : [{ name, json, bytes: Buffer.byteLength(json) }]
  })
  const omitted = new Set(values.filter(({ json }) => json === '').map(({ name }) => name))
  const bySize = values.filter(({ name }) => !omitted.has(name)).toSorted((a, b) => b.bytes - a.bytes)
  let total = bySize.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { name, bytes } of bySize) {
    if (total <= maxBytes) break
    omitted.add(name)
    total -= bytes
  }
  const kept = values.filter(({ name }) => !omitted.has(name))
  const body = kept.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')
  const note = omitted.size === 0 ? '' : `,"omitted":${JSON.stringify([...omitted])}`
  return encoder.encode(`data:{"action":"${action}","record":{${body}}${note}}\n\n`)
}

/** Undefined for what JSON cannot express. */
function jsonOf(value: unknown, texts: ValueTexts): string | undefined {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const json = texts.get(value) ?? JSON.stringify(value)
  texts.set(value, json)
  return json
}
