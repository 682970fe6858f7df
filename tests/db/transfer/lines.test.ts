import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { readLines } from '../../../src/db/transfer/lines.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

function linesOf(content: string | Uint8Array) {
  using folder = temporaryFolder()
  const path = join(folder.path, 'lines')
  writeFileSync(path, content)
  return [...readLines(path)]
}

describe('readLines()', () => {
  test('counts from 1, skips empty lines and accepts a last line without an end', () => {
    expect(linesOf('a\n\n  \r\nb\r\nc')).toEqual([
      { number: 1, text: 'a' },
      { number: 4, text: 'b' },
      { number: 5, text: 'c' },
    ])
    expect(linesOf('')).toEqual([])
  })

  test('joins lines and characters that lie across the end of a piece', () => {
    const long = 'é'.repeat(1024 * 1024 + 7)
    expect(linesOf(`x${long}\n${long}`).map(({ text }) => text.length)).toEqual([
      long.length + 1,
      long.length,
    ])
  })

  test('returns what was written, whatever it is', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed().replaceAll('\n', ''))
    fc.assert(
      fc.property(fc.array(line), (texts) => {
        const expected = texts.map((text) => text.trim()).filter((text) => text !== '')
        expect(linesOf(texts.join('\n')).map(({ text }) => text)).toEqual(expected)
      }),
      { numRuns: 50 },
    )
  })

  test('rejects what is not UTF-8, naming the line', () => {
    expect(() => linesOf(Buffer.from([97, 10, 0xff, 10]))).toThrow('line 2 is not valid UTF-8')
  })

  test('rejects a file that cannot be read', () => {
    using folder = temporaryFolder()
    expect(() => [...readLines(join(folder.path, 'none'))]).toThrow('Cannot read')
    expect(() => [...readLines(folder.path)]).toThrow('Cannot read')
  })
})
