import { describe, expect, test } from 'bun:test'
import { bannedWordIn, checkNames, checkPath, wordsOf } from '../../../scripts/source-checks/names.ts'
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
  ['tellurium', undefined],
  ['hasHeard', 'heard'],
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
    ['class Teller {}', 'Teller'],
    ['class A { #heard = 1 }', '#heard'],
    ['class A { private complain(): void {} }', 'complain'],
    ['interface A { complaint?: string }', 'complaint'],
    ['type Told = 1', 'Told'],
    ['const { a: heard } = b', 'heard'],
    ['const a = { ailment: 1 }', 'ailment'],
    ['const a = { ...vitalsTold }', 'vitalsTold'],
    ['const a = ({ woken }) => 1', 'woken'],
    ['function a(this: B, toldMs = 1) {}', 'toldMs'],
    ['const a = `$<tell}`', 'tell'],
  ])('finds the name in %s', (source, name) => {
    expect(found(`\n${source.replaceAll('$<', '${')}`)).toEqual([`2 word ${name}`])
  })

  test.each([
    'const a = Math.tell(1)',
    'const a = b\n  .tell(1)',
    'const a = this.#told',
    "import { tell } from './a.ts'\ntell()",
    "export { tell, type Told } from './a.ts'",
    "const a = 'told'",
    "const a = { 'told': 1 }",
    '// told',
    'const heartbeat = 1',
    'const floor = { room: 1, letter: desk(judge), crew: 2 }',
  ])('lets %s pass', (source) => {
    expect(found(source)).toEqual([])
  })

  test('reports a name once per file', () => {
    expect(found('const told = 1\nconst other = told')).toEqual(['1 word told'])
  })

  test('leaves out what users read in JSX', () => {
    expect(found('const a = <p title={b}>Tell us what you heard</p>', 'ui/A.tsx')).toEqual([])
    expect(found('const a = <p>{told}</p>', 'ui/A.tsx')).toEqual(['1 word told'])
  })
})

test('checkPath() finds banned words in names of files and folders', () => {
  expect(checkPath('src/driver/told.ts').map(({ rule }) => rule)).toEqual(['word told.ts'])
  expect(checkPath('src/heard/a.ts').map(({ rule }) => rule)).toEqual(['word heard'])
  expect(checkPath('src/driver/heartbeat.ts')).toEqual([])
})
