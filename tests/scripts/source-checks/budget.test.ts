import { expect, test } from 'bun:test'
import { budgetReport, checkBudget } from '../../../scripts/source-checks/budget.ts'

const AREAS = [{ name: 'src', paths: ['src/'], lines: 3, grants: [{ lines: 1, reason: 'a feature' }] }]
const reasons = (texts: Record<string, string>) =>
  checkBudget(new Map(Object.entries(texts)), AREAS, 2).map(({ reason }) => reason)

test('an area may hold its lines and its grants, of files that count', () => {
  expect(
    reasons({ 'src/a/x.ts': '1\n2\n', 'src/b/y.py': '3\n4\n', 'src/b/z.md': '5\n', 'ui/a.ts': '6\n' }),
  ).toEqual([])
  expect(reasons({ 'src/a/x.ts': '1\n2\n', 'src/b/y.css': '3\n4\n5' })).toEqual([
    'src has 5 lines, 4 are allowed; make it smaller, or grant them here and say why',
  ])
})

test('generated files have a limit of their own, and lines one width', () => {
  expect(reasons({ 'clients/contract/contract.txt': '1\n2\n3\n' })[0]).toContain(
    '3 tracked lines are generated, 2 are',
  )
  expect(reasons({ 'biome.json': '{ "lineWidth": 110 }' })).toEqual([])
  expect(reasons({ 'biome.json': '{ "lineWidth": 200 }' })).toEqual(['lines are counted at a width of 110'])
})

test('the report has a row for each layer, area and generated file', () => {
  const report = budgetReport(
    new Map([
      ['src/a/x.ts', '1\n2\n'],
      ['package-lock.json', '{}\n'],
    ]),
  ).join('\n')
  expect(report).toMatch(/^ {2}src\/a\/ +2$/m)
  expect(report).toMatch(/^src and ui +2 of \d+$/m)
  expect(report).toMatch(/^ {2}package-lock\.json +1$/m)
})
