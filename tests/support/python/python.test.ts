import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packagesOf } from './python.ts'

const read = (name: string) => readFileSync(join(import.meta.dir, name), 'utf8')
const namesIn = (text: string) => [...text.matchAll(/^[\w.-]+/gm)].map(([name]) => name.toLowerCase())

test('a group of a lock is what its requirements name, what that needs, and nothing else', () => {
  const block = (name: string, users: string) =>
    `${name}==1 ; python_version >= '3' \\\n    --hash=sha256:0  # via ${users}\n`
  const lock = [
    '# Made\n',
    block('a', 'c, one.in'),
    block('b', 'a, two.in'),
    block('c', 'two.in'),
    block('d', 'b'),
  ]
  expect(namesIn(packagesOf(lock.join(''), 'one'))).toEqual(['a', 'b', 'd'])
  expect(namesIn(packagesOf(lock.join(''), 'two'))).toEqual(['a', 'b', 'c', 'd'])
})

test('every requirement is in its lock, with hashes', () => {
  const locks = ['', '-cluster', '-predecessor', '-schedules'].map((name) => read(`requirements${name}.txt`))
  for (const [, group = ''] of readdirSync(import.meta.dir).map(
    (name) => /^requirements-(\w+)\.in$/.exec(name) ?? [],
  )) {
    if (group === '') continue
    const packages = packagesOf(locks.find((lock) => lock.includes(`${group}.in`)) ?? '', group)
    expect(namesIn(packages)).toEqual(expect.arrayContaining(namesIn(read(`requirements-${group}.in`))))
    expect(packages.split(/^(?=\w)/m).filter((each) => !each.includes('--hash=sha256:'))).toEqual([])
  }
})
