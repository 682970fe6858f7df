import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandBlocks, firstLineOf, guides } from '../support/guides/command-blocks.ts'
import { GUIDES, OWN_TESTS } from '../support/guides/guides.ts'
import { NOT_RUN } from '../support/guides/not-run.ts'

const ROOT = join(import.meta.dir, '../..')

test('each block of commands of a guide is run by a test, or not-run.ts says why it is not', () => {
  const unclear = guides().flatMap((page) =>
    commandBlocks(page)
      .filter(({ isRun, notRun }) => isRun === (notRun !== undefined))
      .map(({ line }) => `${page}:${line}`),
  )
  expect(unclear, 'write ```sh, ```text for output, or a reason in tests/support/guides/not-run.ts').toEqual(
    [],
  )
  const gone = Object.entries(NOT_RUN).flatMap(([page, reasons]) => {
    const lines = commandBlocks(page).map(({ code }) => firstLineOf(code))
    return reasons.filter(([line]) => !lines.includes(line))
  })
  expect(gone, 'the first line of no block of its page').toEqual([])
})

test('each page with blocks that are run has a test that runs them', () => {
  const run = guides().filter((page) => commandBlocks(page).some(({ isRun }) => isRun))
  expect([...Object.keys(GUIDES), ...Object.keys(OWN_TESTS)].toSorted()).toEqual(run)
  for (const [page, path] of Object.entries(OWN_TESTS)) {
    expect(readFileSync(join(ROOT, path), 'utf8')).toContain(page)
  }
})

test('each test that a reason names exists', () => {
  const reasons = Object.values(NOT_RUN).flat()
  const named = reasons.flatMap(([, reason]) => reason.match(/tests\/[\w/.-]+\.test\.ts/g) ?? [])
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  expect(named.length).toBeGreaterThan(5)
})

test('each paragraph of a guide with an indented command is a block', () => {
  const indented = guides().filter((page) =>
    /\n\n {4}(svc|curl|sudo|npm|jq) /.test(readFileSync(join(ROOT, page), 'utf8')),
  )
  expect(indented).toEqual([])
})
