import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { closingLines, isGreen } from '../../../scripts/testing/closing.ts'
import type { FileRun } from '../../../scripts/testing/run-file.ts'
import { MAX_UNSTABLE_FILES, runFiles, type Summary } from '../../../scripts/testing/run-files.ts'
import { untilExit } from '../../support/process-state.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temporary-folder.ts'

setDefaultTimeout(120_000)

let folder: TemporaryFolder
let runs: FileRun[]
beforeEach(() => {
  folder = temporaryFolder()
  runs = []
})
afterEach(() => folder[Symbol.dispose]())

/**
 * Runs files with these contents, several at a time, each in a process of its own unless they are grouped.
 */
function run(
  files: Record<string, string>,
  { groups, ...options }: { deadlineMs?: number; signal?: AbortSignal; groups?: string[][] } = {},
): Promise<Summary> {
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder.path, name), `import { expect, describe, test } from 'bun:test'\n${text}`)
  }
  return runFiles(groups ?? Object.keys(files).map((file) => [file]), {
    root: folder.path,
    deadlineMs: 60_000,
    testTimeoutMs: 60_000,
    parallel: 3,
    onRun: (each) => runs.push(each),
    ...options,
  })
}

const PASSING = `test('is one', () => expect(1).toBe(1))`
const FAILING = `test('is two', () => expect(1).toBe(2))`
/** Fails the first `times` times that it runs. */
const unstable = (times: number) => `
  import { appendFileSync, readFileSync } from 'node:fs'
  test('starts', () => {})
  describe('a group', () => {
    test('fails at first', () => {
      appendFileSync('runs-${times}', '.')
      expect(readFileSync('runs-${times}', 'utf8').length).toBeGreaterThan(${times})
    })
  })`

const runsOf = (file: string) => runs.filter((each) => each.file === file).length

describe('files', () => {
  test('that pass run once, and each test counts once', async () => {
    const summary = await run({
      'a.test.ts': `${PASSING}\ntest.skip('later', () => {})`,
      'b.test.ts': PASSING,
    })
    expect(summary).toEqual({ passed: 2, failed: 0, skipped: 1, failures: [], unstable: [], notices: [] })
    expect(runs).toHaveLength(2)
    expect(isGreen(summary)).toBe(true)
  })

  test('that lack a part of the machine say so once, at the end', async () => {
    const notice = 'Browser tests are skipped: set SVC_CHROMIUM'
    const skipping = `console.warn('${notice}')\n${PASSING}\ntest.skip('later', () => {})`
    const summary = await run({ 'a.test.ts': skipping, 'b.test.ts': skipping, 'c.test.ts': PASSING })
    expect(closingLines(summary, 1)).toEqual([notice, 'Tests took 1 s', '3 passed, 0 failed, 2 skipped'])
  })

  test('that fail run three times in all and fail the run', async () => {
    const summary = await run({ 'a.test.ts': `${PASSING}\n${FAILING}`, 'b.test.ts': PASSING })
    expect(summary).toMatchObject({ passed: 2, failed: 1, unstable: [] })
    expect(summary.failures).toMatchObject([{ file: 'a.test.ts', test: 'is two' }])
    expect(summary.failures[0]?.message).toContain('Expected: 2')
    expect([runsOf('a.test.ts'), runsOf('b.test.ts')]).toEqual([3, 1])
    expect(isGreen(summary)).toBe(false)
  })

  test.each([1, 2])(
    'that pass after %i failures are unstable, by the names of their tests',
    async (times) => {
      const summary = await run({ 'a.test.ts': unstable(times), 'b.test.ts': PASSING })
      expect(summary).toMatchObject({ passed: 3, failed: 0, failures: [] })
      expect(summary.unstable).toMatchObject([{ file: 'a.test.ts', test: 'a group › fails at first' }])
      expect(runsOf('a.test.ts')).toBe(times + 1)
      expect(isGreen(summary)).toBe(true)
    },
  )

  test('that failed run again one at a time, after all others', async () => {
    const overlap = `
      import { existsSync, rmSync, writeFileSync } from 'node:fs'
      test('is alone', async () => {
        if (!existsSync(\`\${import.meta.file}-began\`)) {
          writeFileSync(\`\${import.meta.file}-began\`, '')
          throw new Error('fails at first')
        }
        expect(existsSync('busy')).toBe(false)
        writeFileSync('busy', '')
        await Bun.sleep(20)
        rmSync('busy')
      })`
    const summary = await run({ 'a.test.ts': overlap, 'b.test.ts': overlap, 'c.test.ts': overlap })
    expect(summary).toMatchObject({ passed: 3, failed: 0 })
    expect(summary.unstable).toHaveLength(3)
    expect(runs.slice(3).map(({ file }) => file)).toEqual(['a.test.ts', 'b.test.ts', 'c.test.ts'])
  })

  test('are not repeated if more fail than a machine explains, although they would pass', async () => {
    const names = Array.from({ length: MAX_UNSTABLE_FILES + 1 }, (_, index) => `f${index}.test.ts`)
    const once = `
      import { existsSync, writeFileSync } from 'node:fs'
      test('fails at first', () => {
        const began = existsSync(\`\${import.meta.file}-began\`)
        writeFileSync(\`\${import.meta.file}-began\`, '')
        expect(began).toBe(true)
      })`
    const all = await run(Object.fromEntries(names.map((name) => [name, once])))
    expect(all.failed).toBe(MAX_UNSTABLE_FILES + 1)
    expect(runs).toHaveLength(names.length)

    runs = []
    const fewer = names.slice(1).map((name) => [`again-${name}`, once])
    const repeated = await run(Object.fromEntries(fewer))
    expect(repeated).toMatchObject({ passed: MAX_UNSTABLE_FILES, failed: 0 })
    expect(isGreen(repeated)).toBe(true)
  })
})

describe('a file fails the run', () => {
  test.each([
    ['that exits', `test('exits', () => process.exit(3))`, 'exited with status 3'],
    [
      'that exits with 0',
      `test('exits', () => process.exit(0))`,
      'exited with status 0 and reported no test',
    ],
    ['that crashes', `test('ends', () => process.kill(process.pid, 'SIGSEGV'))`, 'was ended by SIGSEGV'],
    ['that does not load', `import './absent.ts'\n${PASSING}`, "Cannot find module './absent.ts'"],
    ['that has no tests', 'export {}', 'reported no test'],
  ])('%s', async (_, text, message) => {
    const summary = await run({ 'a.test.ts': text, 'b.test.ts': PASSING })
    expect(summary).toMatchObject({ passed: 1, failed: 1 })
    expect(summary.failures).toMatchObject([{ file: 'a.test.ts', test: '(file)' }])
    expect(summary.failures[0]?.message).toContain(message)
    expect(runsOf('a.test.ts')).toBe(3)
  })

  test('that never ends, with the processes it started', async () => {
    const text = `
      import { writeFileSync } from 'node:fs'
      test('never ends', () => {
        const { pid } = Bun.spawn(['sleep', '600'], { stdio: ['ignore', 'inherit', 'inherit'] })
        writeFileSync('pid', String(pid))
        for (;;);
      })`
    const summary = await run({ 'a.test.ts': text }, { deadlineMs: 3_000 })
    expect(summary.failures[0]?.message).toContain('did not end within 3 s')
    const pid = Number(await Bun.file(join(folder.path, 'pid')).text())
    await untilExit(pid)
  })
})

describe('files of one process', () => {
  const groups = [['a.test.ts', 'b.test.ts', 'c.test.ts']]

  test('share modules, and each test counts for its own file', async () => {
    writeFileSync(join(folder.path, 'shared.ts'), 'export const loaded = [1]')
    const files = {
      'a.test.ts': `import { loaded } from './shared.ts'\ntest('changes', () => loaded.push(2))`,
      'b.test.ts': `import { loaded } from './shared.ts'\ntest('sees', () => expect(loaded).toEqual([1, 2]))`,
      'c.test.ts': `test.skip('later', () => {})`,
    }
    expect(await run(files, { groups })).toMatchObject({ passed: 2, failed: 0, skipped: 1 })
    expect(runs.map(({ file, tests }) => [file, tests.length])).toEqual([
      ['a.test.ts', 1],
      ['b.test.ts', 1],
      ['c.test.ts', 1],
    ])
  })

  test('run again alone if they fail', async () => {
    const files = { 'a.test.ts': PASSING, 'b.test.ts': unstable(1), 'c.test.ts': FAILING }
    const summary = await run(files, { groups })
    expect(summary.unstable).toMatchObject([{ file: 'b.test.ts', test: 'a group › fails at first' }])
    expect(summary.failures).toMatchObject([{ file: 'c.test.ts', test: 'is two' }])
    expect(['a.test.ts', 'b.test.ts', 'c.test.ts'].map(runsOf)).toEqual([1, 2, 3])
  })

  test('all run again alone if one ends the process', async () => {
    const files = {
      'a.test.ts': PASSING,
      'b.test.ts': `test('ends', () => process.exit(0))`,
      'c.test.ts': PASSING,
    }
    const summary = await run(files, { groups })
    expect(summary).toMatchObject({ passed: 2, failed: 1 })
    expect(summary.failures).toMatchObject([{ file: 'b.test.ts', test: '(file)' }])
    expect(['a.test.ts', 'b.test.ts', 'c.test.ts'].map(runsOf)).toEqual([2, 3, 2])
  })
})

test('the output of a file has all that it prints, to stdout and to stderr', async () => {
  await run({
    'a.test.ts': `
      test('prints', () => {
        console.log('one')
        console.error('two '.repeat(1_000))
        console.log('three '.repeat(1_000))
        console.error('four')
      })`,
  })
  const text = runs[0]?.output ?? ''
  expect(
    ['one', 'two '.repeat(1_000), 'three '.repeat(1_000), 'four'].map((each) => text.includes(each)),
  ).toEqual([...[true, true, true, true]])
})

test('a process that a test leaves behind ends with its file, and does not hold up the run', async () => {
  const summary = await run({
    'a.test.ts': `
      test('leaves a process', async () => {
        const { pid } = Bun.spawn(['sleep', '600'], { stdio: ['ignore', 'inherit', 'inherit'] })
        await Bun.write('pid', String(pid))
      })`,
  })
  expect(summary).toMatchObject({ passed: 1, failed: 0 })
  const pid = Number(await Bun.file(join(folder.path, 'pid')).text())
  await untilExit(pid)
})

test('a run that is interrupted ends its files and fails', async () => {
  const stop = new AbortController()
  const text = `
    test('is interrupted', async () => {
      await Bun.write('began', '')
      await new Promise(() => {})
    })`
  const watch = setInterval(() => {
    if (existsSync(join(folder.path, 'began'))) stop.abort()
  }, 10)
  const summary = await run({ 'a.test.ts': text }, { signal: stop.signal })
  clearInterval(watch)
  expect(summary.failures).toMatchObject([{ file: 'a.test.ts' }])
  expect(runsOf('a.test.ts')).toBe(1)
  expect(isGreen(summary)).toBe(false)
})

describe('the closing lines', () => {
  const failure = (test: string, message = 'line 1\n\u001b[31mline 2\u001b[0m\n\nline 3') => ({
    file: 'tests/a.test.ts',
    test,
    message,
  })
  const result = (summary: Partial<Summary>): Summary => ({
    ...{ passed: 5, failed: 0, skipped: 1, failures: [], unstable: [], notices: [] },
    ...summary,
  })

  test('count each test and name unstable tests', () => {
    const unstable = [
      { file: 'tests/a.test.ts', test: 'one' },
      { file: 'tests/a.test.ts', test: 'two' },
    ]
    expect(closingLines(result({ unstable }), 61.4)).toEqual([
      'unstable: tests/a.test.ts › one',
      'unstable: tests/a.test.ts › two',
      '2 unstable in 1 files; each passed when it ran alone',
      'Tests took 61 s',
      '5 passed, 0 failed, 1 skipped',
    ])
  })

  test('name failed tests with their messages', () => {
    const lines = closingLines(result({ failed: 1, failures: [failure('group › one')] }), 1)
    expect(lines).toEqual([
      'failed: tests/a.test.ts › group › one',
      ...['    line 1', '    line 2', '    line 3'],
      ...['Tests took 1 s', '5 passed, 1 failed, 1 skipped'],
    ])
  })

  test.each([1, 7, 30, 200])('of %i failures are at most 60', (count) => {
    const failures = Array.from({ length: count }, (_, index) => failure(`${index}`, 'x\n'.repeat(100)))
    const lines = closingLines(result({ failed: count, failures }), 1)
    expect(lines.length).toBeLessThanOrEqual(60)
    expect(lines).toContain('failed: tests/a.test.ts › 0')
    expect(lines.some((line) => line.includes('more failed'))).toBe(count === 200)
  })

  test('say that no test was executed, which is no success', () => {
    const empty = result({ passed: 0, skipped: 4 })
    expect(closingLines(empty, 1)).toContain('No test was executed.')
    expect(isGreen(empty)).toBe(false)
  })
})
