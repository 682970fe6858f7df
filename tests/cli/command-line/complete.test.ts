import { expect, test } from 'bun:test'
import { flag, kinds, setting, switchFlag } from '../../../src/base/index.ts'
import { defineCommand, defineGroup } from '../../../src/cli/command-line/command.ts'
import { complete } from '../../../src/cli/command-line/complete.ts'

const copy = defineCommand({
  summary: 'Copy a file',
  positionals: [{ name: 'FILE', help: 'File to copy' }],
  flags: {
    level: flag(kinds.choice(['low', 'high']), 'Level', { short: 'l' }),
    target: flag(kinds.path(), 'Target'),
    force: switchFlag(kinds.bool(), 'Replace the target'),
  },
  settings: { allowLinks: setting(kinds.bool(), 'false', 'Allow links') },
  commands: { check: () => defineCommand({ summary: 'Check a copy', run: () => undefined }) },
  run: () => undefined,
})
const list = defineCommand({
  summary: 'List files',
  flags: { all: switchFlag(kinds.bool(), 'All') },
  run: () => undefined,
})
const hidden = defineCommand({ summary: 'Not for users', isHidden: true, run: () => undefined })
const files = defineGroup('Work with files', { copy: () => copy, hidden: () => hidden, list: () => list })
const root = defineGroup('Test program', { files: () => files })

const COPY_FLAGS = ['--level', '--target', '--force', '--allow-links', '--no-allow-links', '--help']

test.each([
  ['', ['files', 'help']],
  ['fi', ['files']],
  ['files ', ['copy', 'list', 'help']],
  ['help files ', ['copy', 'list', 'help']],
  ['files c', ['copy']],
  ['files copy ', ['check']],
  ['files copy a ', []],
  ['files copy -', COPY_FLAGS],
  ['files copy --allow', ['--allow-links']],
  ['files copy a --no', ['--no-allow-links']],
  ['files copy --level ', ['low', 'high']],
  ['files copy -l h', ['high']],
  ['files copy --level=l', ['--level=low']],
  ['files copy --level = ', ['low', 'high']],
  ['files copy --level = l', ['low']],
  ['files copy --target ', []],
  ['files copy --force ', []],
  ['files list ', ['--all', '--help']],
  ['nothing ', []],
])('complete() offers for %j the words %j', async (line, words) => {
  const found = await complete(root, line.split(' '))
  expect(found.map(({ word }) => word)).toEqual(words)
})

test('complete() describes what it offers', async () => {
  expect(await complete(root, ['files', 'c'])).toEqual([{ word: 'copy', help: 'Copy a file' }])
  expect(await complete(root, ['files', 'copy', '--force'])).toEqual([
    { word: '--force', help: 'Replace the target' },
  ])
})
