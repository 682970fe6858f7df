import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readReport } from '../../../scripts/testing/report.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

test('a report of bun test has each test by its groups, with outcome and message', async () => {
  using folder = temporaryFolder()
  writeFileSync(
    join(folder.path, 'a.test.ts'),
    `import { describe, expect, test } from 'bun:test'
    test('alone', () => {})
    describe('outer & <b>', () => {
      describe("'inner' > \\"x\\"", () => {
        test('passes', () => {})
        test('fails', () => expect('</failure>').toBe('ä'))
      })
      test.skip('waits', () => {})
      test('throws', () => { throw new Error('one\\ntwo') })
    })
    test.todo('is planned')`,
  )
  const report = join(folder.path, 'report.xml')
  const command = [
    process.execPath,
    'test',
    '--reporter=junit',
    `--reporter-outfile=${report}`,
    './a.test.ts',
  ]
  Bun.spawnSync(command, { cwd: folder.path })
  const files = readReport(await Bun.file(report).text())
  expect([...files.keys()]).toEqual(['a.test.ts'])
  const results = files.get('a.test.ts')?.tests ?? []
  expect(results.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['alone', 'passed'],
    [`outer & <b> › 'inner' > "x" › passes`, 'passed'],
    [`outer & <b> › 'inner' > "x" › fails`, 'failed'],
    ['outer & <b> › waits', 'skipped'],
    ['outer & <b> › throws', 'failed'],
    ['is planned', 'skipped'],
  ])
  expect(results[2]?.message).toContain('Expected: "ä"\nReceived: "</failure>"')
  expect(results[4]?.message).toContain('one\ntwo')
  expect(results.filter(({ message }) => message !== '')).toHaveLength(2)
})
