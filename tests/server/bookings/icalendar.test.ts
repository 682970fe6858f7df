import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { writeCalendar } from '../../../src/server/bookings/icalendar.ts'

const EVENT = {
  uid: 'abc@lab.example.org',
  start: Date.UTC(2026, 10, 20, 9, 30),
  end: Date.UTC(2026, 10, 20, 11),
  updated: Date.UTC(2026, 10, 1),
}
const write = (summary: string, name = 'Lab') =>
  writeCalendar({ name, description: '', events: [{ ...EVENT, summary }] })

/** Reads a calendar as RFC 5545 says: joined lines, then the unescaped value of a property. */
function readValue(text: string, name: string): string | undefined {
  const lines = text.replaceAll('\r\n ', '').split('\r\n')
  const line = lines.find((each) => each.startsWith(`${name}:`) || each.startsWith(`${name};`))
  const value = line?.slice(line.indexOf(':') + 1)
  return value?.replace(/\\([nN\\;,])/g, (_, each: string) => (/n/i.test(each) ? '\n' : each))
}

describe('writeCalendar()', () => {
  test('writes entries in UTC, whole days as dates', () => {
    const text = writeCalendar({
      name: 'Lab: bookings',
      description: 'Slots',
      events: [
        { ...EVENT, summary: 'Your slot on north' },
        { ...EVENT, end: EVENT.start + 86_400_000, summary: 'Maintenance', isAllDay: true, isFree: true },
      ],
    })
    expect(text).toStartWith('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:')
    expect(text).toEndWith('END:VCALENDAR\r\n')
    expect(text).toContain('DTSTART:20261120T093000Z\r\nDTEND:20261120T110000Z\r\n')
    expect(text).toContain('DTSTART;VALUE=DATE:20261120\r\nDTEND;VALUE=DATE:20261121\r\n')
    expect(text).toContain('TRANSP:TRANSPARENT\r\n')
  })

  test('any text survives; no line is longer than 75 octets and none can be added', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.constant('a,b;c\\d\r\nEND:VCALENDAR\r\nX:1'),
      fc.string({
        unit: fc.constantFrom('\u0000', '\u0085', '\n', '\r', ',', ';', '\\', 'é', '😀'),
        maxLength: 200,
      }),
    )
    fc.assert(
      fc.property(texts, (summary) => {
        const text = write(summary)
        const lines = text.split('\r\n')
        expect(lines.filter((line) => line.startsWith('END:VCALENDAR'))).toHaveLength(1)
        for (const line of lines) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75)
        expect(text.replaceAll('\r\n', '')).not.toMatch(/[\p{Cc}]/u)
        const expected = summary.replace(/\r\n?/g, '\n').replace(/(?!\n)\p{Cc}/gu, '')
        expect(readValue(text, 'SUMMARY')).toBe(expected)
      }),
      { numRuns: 300 },
    )
  })
})
