const encoder = new TextEncoder()

/** Maximum size of an event that contains the whole record. */
export const MAX_WHOLE_BYTES = 1024 * 1024

/** Encodes the `data:` line of an event, to be sent to any number of streams. */
export function encodeData(value: unknown): Uint8Array {
  return encoder.encode(`data:${JSON.stringify(value)}\n\n`)
}

/**
 * Encodes the `data:` line of a change. Above 1 MiB, the largest values of the record (the payload or the
 * results of a job) are omitted until it fits; `omitted` next to the record lists their names. Clients fetch
 * these values: a change may go to thousands of clients, and few of them need 40 MiB.
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
