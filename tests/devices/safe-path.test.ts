import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { checkSafePath } from '../../src/devices/safe-path.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// A folder outside every safe location, with a home below it.
const outsideFolder = temporaryFolder(existsSync('/dev/shm') ? '/dev/shm' : import.meta.dir)
const outside = outsideFolder.path
const home = join(outside, 'home')
const cwd = join(home, 'work')
const insideFolder = temporaryFolder()
const temporary = insideFolder.path

beforeAll(() => {
  mkdirSync(cwd, { recursive: true })
  mkdirSync(join(outside, 'elsewhere'))
  symlinkSync('/etc', join(temporary, 'etc'))
  symlinkSync(join(outside, 'elsewhere'), join(home, 'away'))
  symlinkSync(join(outside, 'elsewhere', 'not-yet'), join(home, 'dangling'))
  symlinkSync(temporary, join(outside, 'into-tmp'))
  symlinkSync(join(home, 'loop-b'), join(home, 'loop-a'))
  symlinkSync(join(home, 'loop-a'), join(home, 'loop-b'))
})

afterAll(() => {
  outsideFolder[Symbol.dispose]()
  insideFolder[Symbol.dispose]()
})

const SAFE: [string, () => string][] = [
  ['/var/svc-driver itself', () => '/var/svc-driver'],
  ['a folder that does not exist under /var/svc-driver', () => '/var/svc-driver/lab/data'],
  ['/etc/svc-driver itself', () => '/etc/svc-driver'],
  ['a file under /etc/svc-driver', () => '/etc/svc-driver/calibration.yml'],
  ['a folder under /tmp', () => '/tmp/data'],
  ['a folder under /var/tmp', () => '/var/tmp/data'],
  ['a folder under home', () => join(home, 'data')],
  ['a relative path that ends under home', () => 'bin/data'],
  ['a relative path with .. that stays under home', () => '../bin/data'],
  ['a link from elsewhere into /tmp', () => join(outside, 'into-tmp', 'data')],
  ['a name that begins with two dots', () => join(home, '..data')],
]

const UNSAFE: [string, () => string][] = [
  ['the root', () => '/'],
  ['/tmp itself', () => '/tmp'],
  ['/tmp with a slash', () => '/tmp/'],
  ['/var/tmp itself', () => '/var/tmp'],
  ['home itself', () => home],
  ['a folder next to home', () => `${home}-evil`],
  ['a folder whose name starts like /tmp', () => '/tmp-evil'],
  ['a folder whose name starts like /var/svc-driver', () => '/var/svc-driver-evil/data'],
  ['/etc', () => '/etc'],
  ['a path that leaves /tmp', () => '/tmp/../etc/passwd'],
  ['a path that leaves /var/svc-driver', () => '/var/svc-driver/../lib/data'],
  ['a relative path that leaves home', () => '../../data'],
  ['a link under /tmp to /etc', () => join(temporary, 'etc', 'passwd')],
  ['a link under home to elsewhere', () => join(home, 'away', 'data')],
  ['a link under home to a file that does not exist elsewhere', () => join(home, 'dangling')],
  ['a loop of links', () => join(home, 'loop-a', 'data')],
]

for (const [name, path] of SAFE) {
  test(`checkSafePath() accepts ${name}`, () => {
    expect(checkSafePath(path(), { cwd, home })).toBeString()
  })
}

for (const [name, path] of UNSAFE) {
  test(`checkSafePath() refuses ${name}`, () => {
    expect(checkSafePath(path(), { cwd, home })).toBeUndefined()
  })
}

test('checkSafePath() returns the absolute path', () => {
  expect(checkSafePath('./data/../file.yml', { cwd, home })).toBe(join(cwd, 'file.yml'))
})

test('checkSafePath() ignores a home folder that would allow every path', () => {
  expect(checkSafePath('/usr/lib', { cwd, home: '/' })).toBeUndefined()
  expect(checkSafePath('/usr/lib', { cwd, home: '' })).toBeUndefined()
})
