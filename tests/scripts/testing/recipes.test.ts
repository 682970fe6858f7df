import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { differences, edited } from '../../../scripts/testing/recipes/recipe.ts'
import { RECIPES } from '../../../scripts/testing/recipes/recipes.ts'

const ROOT = join(import.meta.dir, '../../..')
const PAGE = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8')

test.each(RECIPES.map((recipe) => [recipe.heading, recipe] as const))(
  '"%s" names each file and command of its example, which fits the sources',
  (_, recipe) => {
    expect(differences(recipe, PAGE)).toEqual([])
    for (const edit of recipe.edits) {
      const path = join(ROOT, edit.file)
      expect([edit.file, existsSync(path)]).toEqual([edit.file, !('content' in edit)])
      if (!('content' in edit)) expect(() => edited(readFileSync(path, 'utf8'), edit)).not.toThrow()
    }
  },
)

test('every section that adds something is carried out', () => {
  const sections = [...PAGE.matchAll(/^## (Add .*)$/gm)].map(([, heading]) => heading)
  expect(RECIPES.map(({ heading }) => heading)).toEqual(sections as string[])
})

test('a file or command that is only in the section or only in the example is a difference', () => {
  const page =
    '# A\n\n## Add it\n\nEdit `a/<name>.ts`, run `npm run docs` and\n`X=1 npm test --\ntests/a`.\n\n## B\n'
  const recipe = { heading: 'Add it', names: { '<name>': 'one' }, edits: [], commands: ['npm run docs'] }
  const whole = { ...recipe, commands: ['npm run docs', 'X=1 npm test -- tests/a'] }
  expect(differences({ ...whole, edits: [{ file: 'a/one.ts', content: '' }] }, page)).toEqual([])
  expect(differences(recipe, page)).toEqual(['X=1 npm test -- tests/a of "Add it" is not executed'])
  expect(differences({ ...whole, edits: [{ file: 'a/two.ts', content: '' }] }, page)).toEqual([
    '"Add it" does not name a/two.ts',
  ])
  expect(differences({ ...whole, heading: 'Add that' }, page)).toEqual([
    'CONTRIBUTING.md has no section "Add that"',
  ])
})
