import { expect, spyOn, test } from 'bun:test'
import { flag, kinds, repeatableFlag, switchFlag } from '../../../src/base/index.ts'
import { defineCommand, defineGroup } from '../../../src/cli/command-line/command.ts'
import { runCommand } from '../../../src/cli/command-line/run-command.ts'
import { exitStatus, UsageError } from '../../../src/cli/command-line/usage-error.ts'

const copy = defineCommand({
  summary: 'Copy a file',
  positionals: [
    { name: 'FILE', help: 'File to copy' },
    { name: 'TARGET', help: 'New file', isOptional: true },
  ],
  flags: {
    maxBytes: flag(kinds.integer({ min: 1 }), 'Maximum size', { default: '9' }),
    tag: repeatableFlag(kinds.text('tag'), 'Tag', { short: 't' }),
    force: switchFlag(kinds.bool(), 'Replace the target'),
  },
  commands: { check: () => check },
  run: ({ flags, positionals }) => ({ ...flags, positionals }),
  document: ({ maxBytes }) => ({ max_bytes: maxBytes }),
  print: (data) => console.log(JSON.stringify(data)),
})
const check = defineCommand({
  summary: 'Check a copy',
  run() {
    throw new UsageError('nothing to check')
  },
})
const hidden = defineCommand({ summary: 'Not for users', isHidden: true, run: () => undefined })
const root = defineGroup('Test program', { copy: () => copy, hidden: () => hidden })

async function run(...words: string[]): Promise<string> {
  const lines: string[] = []
  const log = spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
  try {
    await runCommand(root, 'lab', words)
  } finally {
    log.mockRestore()
  }
  return lines.join('\n')
}

test('runCommand() passes converted flags and positional arguments', async () => {
  const out = await run('copy', 'a', '--max-bytes', '3', '-t', 'x', '--tag=y', '--force', 'b')
  expect(JSON.parse(out)).toEqual({
    maxBytes: 3,
    tag: ['x', 'y'],
    force: true,
    json: false,
    positionals: ['a', 'b'],
  })
})

test.each([
  [['--force', '--no-force'], false],
  [['--force=false'], false],
  [['--force=off', '--force=YES'], true],
  [['--no-force', '--force'], true],
])('runCommand() reads the switches %p, of which the last counts', async (words, force) => {
  expect(JSON.parse(await run('copy', 'a', ...words))).toMatchObject({ force })
})

test('runCommand() leaves words after -- as they are', async () => {
  expect(JSON.parse(await run('copy', '--', '--force=false'))).toMatchObject({
    force: false,
    positionals: ['--force=false'],
  })
})

test('runCommand() prints one JSON document with --json', async () => {
  expect(await run('copy', 'a', '--json')).toBe('{\n  "max_bytes": 9\n}')
  expect(await run('copy', 'a', '--json', '--json=false')).toContain('"maxBytes":9')
})

test.each([
  [['cpy'], 'lab: unknown command cpy; did you mean copy? See lab --help'],
  [['jump'], 'lab: unknown command jump; see lab --help'],
  [['check'], 'lab: unknown command check; did you mean lab copy check? See lab --help'],
  [['toString'], 'lab: unknown command toString; see lab --help'],
  [['--verbose'], 'lab: unknown option --verbose; see lab --help'],
  [
    ['copy', '--bytes', '1'],
    'lab copy: unknown option --bytes; did you mean --max-bytes? See lab copy --help',
  ],
  [['copy', 'a', '--max-bytes'], 'lab copy: --max-bytes needs a value <n>; see lab copy --help'],
  [['copy', 'a', '--max-bytes', '--force'], 'lab copy: --max-bytes needs a value <n>; see lab copy --help'],
  [['copy', 'a', '-t'], 'lab copy: --tag needs a value <tag>; see lab copy --help'],
  [['copy', 'chek', 'b', 'c'], 'lab copy: unknown command chek; did you mean check? See lab copy --help'],
  [['copy'], 'lab copy: missing FILE; see lab copy --help'],
  [['copy', 'a', 'b', 'c'], 'lab copy: unexpected argument c; see lab copy --help'],
  [['copy', 'a', '--fore'], 'lab copy: unknown option --fore; did you mean --force? See lab copy --help'],
  [
    ['copy', 'a', '--no-fore'],
    'lab copy: unknown option --no-fore; did you mean --no-force? See lab copy --help',
  ],
  [['copy', 'a', '--no-force=true'], 'lab copy: --no-force takes no value; see lab copy --help'],
  [
    ['copy', 'a', '--force=maybe'],
    'lab copy: --force: bad value "maybe"; expected true or false; see lab copy --help',
  ],
  [
    ['copy', 'a', '--max-bytes', '0'],
    'lab copy: --max-bytes: bad value "0"; expected a whole number of at least 1; see lab copy --help',
  ],
  [['copy', 'check'], 'lab copy check: nothing to check; see lab copy check --help'],
])('runCommand() refuses %p', async (words, message) => {
  const error = await run(...words).catch((thrown: unknown) => thrown)
  expect(error).toEqual(new UsageError(message))
  expect(exitStatus(error)).toBe(2)
})

test('runCommand() prints the help of the commands after help', async () => {
  expect(await run('help')).toStartWith('Test program\n')
  expect(await run('help', 'copy')).toStartWith('Copy a file\n')
  expect(await run('help', 'copy', 'check')).toStartWith('Check a copy\n')
  await expect(run('help', 'cop')).rejects.toThrow(
    'lab: unknown command cop; did you mean copy? See lab --help',
  )
})

test('runCommand() prints the help of the named command, even if an unknown word follows it', async () => {
  expect(await run()).toStartWith('Test program\n\nUsage: lab COMMAND')
  expect(await run('jump', '--help')).toStartWith('Test program\n')
  expect(await run('copy', '-h')).toStartWith('Copy a file\n')
  expect(await run('copy', 'check', '--help')).toBe('Check a copy\n\nUsage: lab copy check')
  expect(await run('--help')).not.toContain('hidden')
})
