import { describe, expect, test } from 'bun:test'
import { bannedWordIn, checkNames, checkPath, wordsOf } from '../../../scripts/source-checks/names.ts'
import { MAX_WORD_EXCEPTIONS, WORD_EXCEPTIONS } from '../../../scripts/source-rules/words.ts'
import { codeOf } from '../../../scripts/source-text.ts'

const found = (source: string, file = 'src/a.ts') =>
  checkNames({ file, code: codeOf(source) }).map(({ line, rule }) => `${line} ${rule}`)

test.each([
  ['toldAt2', ['told', 'at']],
  ['MAX_ROOM_BYTES', ['max', 'room', 'bytes']],
  ['TLSFloor', ['tls', 'floor']],
  ['#crew', ['crew']],
  ['event-desk.test.ts', ['event', 'desk', 'test', 'ts']],
])('wordsOf() splits %s', (name, words) => {
  expect(wordsOf(name)).toEqual(words)
})

test.each([
  ['heartbeatMs', undefined],
  ['heardAt', 'heard'],
  ['roomy', undefined],
  ['hasRoom', 'room'],
  ['MOST_JOBS', 'MOST'],
  ['LONGEST_NAME', 'LONGEST'],
  ['AT_MOST_ONE', undefined],
  ['mostJobs', undefined],
])('bannedWordIn() finds in %s: %p', (name, word) => {
  expect(bannedWordIn(name)).toBe(word)
})

describe('checkNames()', () => {
  test.each([
    ['function tell() {}', 'tell'],
    ['class Desk {}', 'Desk'],
    ['class A { #crew = 1 }', '#crew'],
    ['class A { private judge(): void {} }', 'judge'],
    ['interface A { outlook?: string }', 'outlook'],
    ['type Told = 1', 'Told'],
    ['const { a: heard } = b', 'heard'],
    ['const a = { letter: 1 }', 'letter'],
    ['const a = { ...room }', 'room'],
    ['const a = ({ woken }) => 1', 'woken'],
    ['function a(this: B, patienceMs = 1) {}', 'patienceMs'],
    ['const a = `$<tell}`', 'tell'],
  ])('finds the name in %s', (source, name) => {
    expect(found(`\n${source.replaceAll('$<', '${')}`)).toEqual([`2 word ${name}`])
  })

  test.each([
    'const a = Math.floor(1)',
    'const a = b\n  .floor(1)',
    'const a = this.#crew',
    "import { tell } from './a.ts'\ntell()",
    "export { tell, type Told } from './a.ts'",
    "const a = 'told'",
    "const a = { 'told': 1 }",
    '// told',
    'const heartbeat = 1',
  ])('lets %s pass', (source) => {
    expect(found(source)).toEqual([])
  })

  test('reports a name once per file', () => {
    expect(found('const told = 1\nconst other = told')).toEqual(['1 word told'])
  })

  test('leaves out what users read in JSX', () => {
    expect(found('const a = <p title={b}>Tell us the floor</p>', 'ui/A.tsx')).toEqual([])
    expect(found('const a = <p>{told}</p>', 'ui/A.tsx')).toEqual(['1 word told'])
  })

  test('allows exceptions by name and place', () => {
    const exceptions = [{ name: 'isLetter', where: 'src/qasm/', reason: 'a character' }]
    const rules = (file: string) => checkNames({ file, code: 'const isLetter = 1' }, exceptions).length
    expect(rules('src/qasm/lexer.ts')).toBe(0)
    expect(rules('src/db/a.ts')).toBe(1)
  })
})

test('checkPath() finds banned words in names of files and folders', () => {
  expect(checkPath('src/driver/desk.ts').map(({ rule }) => rule)).toEqual(['word desk.ts'])
  expect(checkPath('src/judge/a.ts').map(({ rule }) => rule)).toEqual(['word judge'])
  expect(checkPath('src/driver/heartbeat.ts')).toEqual([])
})

test('the list of exceptions is short and gives reasons', () => {
  expect(WORD_EXCEPTIONS.length).toBeLessThanOrEqual(MAX_WORD_EXCEPTIONS)
  expect(MAX_WORD_EXCEPTIONS).toBe(10)
  for (const { name, reason } of WORD_EXCEPTIONS) {
    expect(bannedWordIn(name)).toBeDefined()
    expect(reason.length).toBeGreaterThan(10)
  }
})
