import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const MAX_ENTRIES = 60
const MAX_SENTENCES = 2

/** The releases behind the first one, whose entries stay as they are. */
const [recent = ''] = readFileSync(join(import.meta.dir, '../CHANGELOG.md'), 'utf8').split(
  /^## 2026\.11\.0$/m,
)
const releases = recent.split(/^## /m).slice(1)
const entriesOf = (release: string) => [...release.matchAll(/^- .*(?:\n {2}.*)*/gm)].map(([entry]) => entry)

/** Sentences of an entry; points in code and in addresses of links end none. */
function sentencesOf(entry: string): number {
  const words = entry.replace(/`[^`]*`/g, 'x').replace(/\]\([^)]*\)/g, ']')
  return words.split(/[.!?](?=\s|$)/).filter((each) => each.trim() !== '').length
}

test('sentences are counted without the points of code and links', () => {
  expect(sentencesOf('- One `a. b.` and\n  [this](x. y.md). Two.')).toBe(2)
})

test('an entry has at most two sentences, and a release at most 60 entries', () => {
  expect(releases.map((release) => entriesOf(release).length).filter((count) => count > MAX_ENTRIES)).toEqual(
    [],
  )
  const long = releases.flatMap(entriesOf).filter((entry) => sentencesOf(entry) > MAX_SENTENCES)
  expect(long).toEqual([])
})
