import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { GATE_BROWSER_TEST, PARTS, partOf, selectTests } from '../../../scripts/testing/parts.ts'

const ROOT = join(import.meta.dir, '../../..')
const all = [...new Glob('tests/**/*.test.ts').scanSync({ cwd: ROOT })]

test('every path of a part exists, and no test belongs to two parts', () => {
  for (const { tests = [], script } of PARTS) {
    for (const path of [...tests, ...(script ? [script[0] ?? ''] : [])]) {
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true])
    }
  }
  // With an environment of its own, a part runs tests that others have, in another way.
  const paths = PARTS.flatMap(({ tests = [], env }) => (env ? [] : tests))
  for (const file of all) {
    expect([file, paths.filter((path) => file === path || file.startsWith(`${path}/`)).length < 2]).toEqual([
      file,
      true,
    ])
  }
})

test('the gate and the parts have every test; the gate keeps one in a browser', () => {
  const gate = selectTests(all, [])
  const parts = PARTS.flatMap(({ tests = [] }) => (tests.length > 0 ? selectTests(all, tests) : []))
  expect(new Set([...gate, ...parts])).toEqual(new Set(all))
  expect(gate.filter((file) => file.startsWith('tests/e2e/'))).toEqual([GATE_BROWSER_TEST])
  expect(all).toContain(GATE_BROWSER_TEST)
})

test('paths select files and folders by their whole names', () => {
  expect(selectTests(['tests/a/b.test.ts', 'tests/ab/c.test.ts'], ['tests/a'])).toEqual(['tests/a/b.test.ts'])
  expect(selectTests(['tests/a/b.test.ts'], ['tests/a/b.test.ts'])).toEqual(['tests/a/b.test.ts'])
  expect(partOf('tests/faults/jobs/submit.test.ts')?.name).toBe('faults')
})

test('the part that runs whole what the gate runs in part has the tests of the gate that ask for it', () => {
  const asking = all.filter(
    (file) =>
      partOf(file) === undefined &&
      /from '.*support\/whole\.ts'/.test(readFileSync(join(ROOT, file), 'utf8')),
  )
  const whole = PARTS.flatMap(({ name, tests = [] }) => (name === 'matrices' ? tests : []))
  expect(asking.sort()).toEqual(whole.toSorted())
  for (const file of whole) expect(partOf(file)).toBeUndefined()
})
