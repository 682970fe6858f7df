import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { COVERAGE } from './corpus/coverage.ts'
import { ATTACKS } from './corpus/index.ts'
import { OWN_ATTACKS, READ_ROUTES, WRITE_ROUTES } from './corpus/superusers.ts'

const LIMITS = join(import.meta.dir, '../../docs/reference/limits.md')

/** First cells of the tables of a page, without the headings. */
function documentedLimits(): string[] {
  const lines = readFileSync(LIMITS, 'utf8').split('\n')
  const isRule = (line: string | undefined) => line !== undefined && /^\|[\s|:-]+\|$/.test(line)
  return lines
    .filter((line, at) => line.startsWith('|') && !isRule(line) && !isRule(lines[at + 1]))
    .map((line) => line.split(/(?<!\\)\|/)[1]?.trim() ?? '')
}

test('each documented limit has an attack that reaches it, or a reason why none does', () => {
  const missing = documentedLimits().filter((limit) => !Object.hasOwn(COVERAGE, limit))
  expect(missing, 'add each of these to tests/attack/corpus/coverage.ts').toEqual([])
})

test('the coverage names documented limits and declared attacks only', () => {
  const documented = new Set(documentedLimits())
  expect(Object.keys(COVERAGE).filter((limit) => !documented.has(limit))).toEqual([])
  const declared = new Set(ATTACKS.map(({ name }) => name))
  const named = Object.values(COVERAGE).flatMap((entry) => ('reason' in entry ? [] : entry))
  expect(named.filter((name) => !declared.has(name))).toEqual([])
})

test('each route of superusers is attacked, and no other', () => {
  const routes = readFileSync(join(LIMITS, '../routes.md'), 'utf8')
  const declared = [...routes.matchAll(/^\| `(\w+ [^`]+)` \| superuser \|/gm)].map(([, route]) => route)
  const attacked = [READ_ROUTES, WRITE_ROUTES, OWN_ATTACKS].flatMap((each) => Object.keys(each))
  expect(declared.length).toBeGreaterThan(30)
  expect(attacked.toSorted()).toEqual(declared.toSorted() as string[])
  const names = new Set(ATTACKS.map(({ name }) => name))
  expect(Object.values(OWN_ATTACKS).filter((name) => !names.has(name))).toEqual([])
})

test('each attack has a name of its own and an address of its own', () => {
  const names = ATTACKS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !/^[a-z][a-z0-9-]{2,39}$/.test(name))).toEqual([])
  // The second byte of a loopback address is the number of the attack.
  expect(names.length).toBeLessThan(255)
})

test('the attacks reproduce every finding that led to the limits', () => {
  const found = new Set(ATTACKS.flatMap(({ finding }) => finding ?? []))
  expect([...found].toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})
