import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import {
  CORE,
  drawMutants,
  EQUIPMENT,
  filesOf,
  mutantsOf,
} from '../../../scripts/testing/mutants/core-mutants.ts'

const ROOT = join(import.meta.dir, '../../..')

/** The lines of a source with each of its mutants. */
const changed = (source: string) =>
  mutantsOf('a.ts', source).map(
    ({ at, text, replacement }) => source.slice(0, at) + replacement + source.slice(at + text.length),
  )

test('operators, conditions and calls of code are changed, one at a time; types, texts and comments are not', () => {
  const source = [
    'const a = (b: Map<string, C | D>) => b.size <= 1 && b.x // a < b',
    "  if (a(b)) throw new E('x < y && z')",
    '  remove(tx, b)',
    '  this.#log.warn(b)',
    '',
  ].join('\n')
  expect(changed(source)).toEqual([
    source.replace('<= 1', '< 1'),
    source.replace('1 && b', '1 || b'),
    source.replace('(a(b))', '(!(a(b)))'),
    source.replace('remove(tx, b)', 'undefined'),
  ])
})

test('comparisons of SQL are changed, assignments and messages are not', () => {
  const sql = 'const q = `UPDATE a SET b = $b WHERE c = $c AND d IS NULL AND EXISTS(g) ORDER BY f DESC`\n'
  expect(changed(sql)).toEqual([
    sql.replace('c = $c', 'c <> $c'),
    sql.replace('$c AND', '$c OR'),
    sql.replace('IS NULL', 'IS NOT NULL'),
    sql.replace('NULL AND', 'NULL OR'),
    sql.replace('DESC', 'ASC'),
  ])
  expect(changed("const text = 'a AND b = c'\n")).toEqual([])
})

test('each area has sources and tests, and a draw is the same again and of all areas', () => {
  for (const area of [...CORE, ...EQUIPMENT]) {
    for (const pattern of area.files)
      expect([pattern, filesOf({ ...area, files: [pattern] }, ROOT).length > 0]).toEqual([pattern, true])
    for (const folder of area.tests) expect([folder, existsSync(join(ROOT, folder))]).toEqual([folder, true])
  }
  const draw = (seed: number) => drawMutants(ROOT, { seed, count: 100 })
  expect(draw(1)).toEqual(draw(1))
  expect(draw(1)).not.toEqual(draw(2))
  expect(new Set(draw(1).map(({ area }) => area.area)).size).toBe(CORE.length)
})
