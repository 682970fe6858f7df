import * as v from 'valibot'
import type { DriverEvent } from '../../api/model/equipment/drivers.ts'
import { formatReading } from '../../lib/reading.ts'

const MAX_PARTS = 4
const MAX_LENGTH = 160

const readings = v.object({
  readings: v.record(
    v.string(),
    v.looseObject({
      value: v.optional(v.nullable(v.number())),
      unit: v.optional(v.nullable(v.string()), ''),
      text: v.optional(v.string()),
      status: v.optional(v.string(), ''),
    }),
  ),
})

/** The content of an event in one line; readings as values, anything else as its first fields. */
export function summarizeEvent({ payload }: Pick<DriverEvent, 'payload'>): string {
  const parsed = v.safeParse(readings, payload)
  if (parsed.success) {
    const all = Object.entries(parsed.output.readings)
    const shown = all.slice(0, MAX_PARTS).map(([channel, { value, unit, text, status }]) => {
      const name = channel.split('.').at(-1)
      return `${name} ${typeof value === 'number' ? formatReading(value, unit ?? '') : (text ?? (status || 'no value'))}`
    })
    return joined(shown, all.length)
  }
  if (typeof payload !== 'object' || payload === null) return shorten(JSON.stringify(payload) ?? '')
  const fields = Object.entries(payload).filter(([, value]) => typeof value !== 'object' || value === null)
  const shown = fields.slice(0, MAX_PARTS).map(([name, value]) => `${name} ${String(value)}`)
  return joined(shown, Object.keys(payload).length)
}

function joined(shown: readonly string[], count: number): string {
  const more = count > shown.length ? `${shown.length > 0 ? ' … ' : ''}${count - shown.length} more` : ''
  return shorten(shown.join(', ')) + more
}

function shorten(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text
}
