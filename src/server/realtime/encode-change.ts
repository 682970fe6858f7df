const encoder = new TextEncoder()

/** Bytes of an event that still carries its record whole. */
export const MAX_WHOLE_BYTES = 1024 * 1024

/** The `data:` line of an event, ready to be sent to any number of streams. */
export function encodeData(value: unknown): Uint8Array {
  return encoder.encode(`data:${JSON.stringify(value)}\n\n`)
}

/**
 * The `data:` line of a change. Up to 1 MiB the record is whole; of a larger one the largest values (a job's
 * payload or results) are left out until it fits, and `omitted` beside the record names them. They are to be
 * fetched: thousands of clients may hear of a change, and few need 40 MiB of it.
 */
export function encodeChange(action: string, record: Readonly<Record<string, unknown>>): Uint8Array {
  const values = Object.entries(record).flatMap(([name, value]) => {
    const json = JSON.stringify(value)
    return json === undefined ? [] : [{ name, json, bytes: Buffer.byteLength(json) }]
  })
  const omitted: string[] = []
  let total = values.reduce((sum, { bytes }) => sum + bytes, 0)
  for (const { name, bytes } of values.toSorted((a, b) => b.bytes - a.bytes)) {
    if (total <= MAX_WHOLE_BYTES) break
    omitted.push(name)
    total -= bytes
  }
  const kept = values.filter(({ name }) => !omitted.includes(name))
  const body = kept.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join(',')
  const note = omitted.length === 0 ? '' : `,"omitted":${JSON.stringify(omitted)}`
  return encoder.encode(`data:{"action":"${action}","record":{${body}}${note}}\n\n`)
}
