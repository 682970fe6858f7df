import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runPart } from '../../../scripts/testing/run-part.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** The result of a part whose script has this text. */
async function resultOf(text: string) {
  using folder = temporaryFolder()
  writeFileSync(join(folder.path, 'part.ts'), text)
  const log = join(folder.path, 'part.log')
  return await runPart(['part.ts'], { root: folder.path, env: process.env, log })
}

test.each([
  [
    'its closing line counts',
    `console.log('1 passed, 2 failed'); console.log('7 passed, 0 failed, 3 skipped')`,
    { passed: 7, failed: 0, skipped: 3, names: [] },
  ],
  [
    'attacks are named as tests are',
    `console.error('✗ slow: 80 ms'); console.log('5 attacks passed, 1 failed (margin 4)\\nfailed: slow: 400 ms'); process.exit(1)`,
    { passed: 5, failed: 1, skipped: 0, names: ['failed: slow: 400 ms'] },
  ],
  [
    'unstable tests are named, although the part passes',
    `console.log('unstable: a.test.ts › b\\n7 passed, 0 failed, 0 skipped')`,
    { passed: 7, failed: 0, skipped: 0, names: ['unstable: a.test.ts › b'] },
  ],
  [
    'a crash after the counts is a failure',
    `console.log('7 passed, 0 failed'); process.exit(70)`,
    { passed: 7, failed: 1, names: [expect.stringContaining('exited with status 70; see')] },
  ],
  [
    'an end without counts is a failure, also with status 0',
    `console.log('nothing to do')`,
    { passed: 0, failed: 1, names: [expect.stringContaining('status 0 without counts')] },
  ],
])('%s', async (_, text, expected) => {
  expect(await resultOf(text)).toMatchObject(expected)
})
