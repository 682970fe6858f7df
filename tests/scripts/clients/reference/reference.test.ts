import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import * as client from '../../../../clients/js/src/index.ts'
import { goPage } from '../../../../scripts/clients/reference/go.ts'
import { javascriptPage } from '../../../../scripts/clients/reference/javascript.ts'

const GO_CLIENT = join(import.meta.dir, '../../../../clients/go')

/** The names of the headings of a page, and of the members that are lines below them. */
function namesOf(page: string): Set<string> {
  const names = new Set<string>()
  let owner = ''
  for (const [, heading, row = ''] of page.matchAll(/^(?:##+ (?:type )?(.*)|- `(.*?)`.*)$/gm)) {
    if (heading !== undefined) {
      names.add(heading.replace(/^func \(\*?(\w+)\) /, '$1.'))
      owner = heading
    } else {
      names.add(`${owner}.${/^[\w.[\]]+/.exec(row)?.[0]}`)
      names.add(row.replace(/\(.*/, ''))
    }
  }
  return names
}

test('the JavaScript page has every exported value, and the methods of its classes', () => {
  const page = namesOf(javascriptPage())
  const wanted = Object.keys(client).filter((name) => !['errorOf', 'otherResponse'].includes(name))
  wanted.push(
    ...Object.getOwnPropertyNames(client.SvcClient.prototype)
      .filter((name) => name !== 'constructor')
      .map((name) => `SvcClient.${name}`),
  )
  expect(wanted.length).toBeGreaterThan(25)
  expect(wanted.filter((name) => !page.has(name))).toEqual([])
})

test('the Go page has every exported function, method and type of the package', () => {
  const page = namesOf(goPage())
  const sources = [...new Glob('*.go').scanSync(GO_CLIENT)].filter((name) => !name.endsWith('_test.go'))
  const text = sources.map((name) => readFileSync(join(GO_CLIENT, name), 'utf8')).join('\n')
  const funcs = [...text.matchAll(/^func (?:\(\w+ (\*?[A-Z]\w*)\) )?([A-Z]\w*)/gm)]
    .filter(([, , name]) => !['String', 'Error', 'Unwrap'].includes(name ?? ''))
    .map(([, receiver, name]) => (receiver ? `${receiver.replace('*', '')}.${name}` : `func ${name}`))
  const types = [...text.matchAll(/^(?:type ([A-Z]\w*)|\t([A-Z]\w*) = wire)/gm)].map(
    ([, name, alias]) => name ?? alias,
  )
  expect(funcs.length + types.length).toBeGreaterThan(100)
  expect([...funcs, ...types].filter((name = '') => !page.has(name))).toEqual([])
})

test('the Go page shows neither fields that are not exported nor tags', () => {
  const blocks = [...goPage().matchAll(/^```go\n(type .*?)^```$/gms)].map(([, block]) => block)
  expect(blocks.length).toBeGreaterThan(30)
  expect(blocks.filter((block) => /^\t[a-z]|`json:/m.test(block ?? ''))).toEqual([])
})
