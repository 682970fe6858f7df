import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkSource, checkText } from '../../../scripts/source-checks/file.ts'
import { SINGLE_IMPLEMENTATION_TEXTS, SINGLE_IMPLEMENTATIONS } from '../../../scripts/source-rules/one-way.ts'
import { scanSource } from '../../../scripts/source-text.ts'

function isBanned(file: string, source: string): boolean {
  const breaches = [...checkSource({ file, source, ...scanSource(source) }), ...checkText(file, source)]
  return breaches.length > 0
}

test.each([
  ['Math.min(MAX_MS, INITIAL_BACKOFF_MS * 2 ** failures)', 'src/base/backoff.ts'],
  ['pauseMs = Math.min(pauseMs * 2, 10)', 'src/base/backoff.ts'],
  ['pause *= 2', 'src/base/backoff.ts'],
  ['await Promise.race([work, late])', 'src/base/timeout.ts'],
  ['await Promise.race([work, late])', 'src/cli/driver.ts'],
  ['fetch(url, { signal: AbortSignal.timeout(5) })', 'src/base/timeout.ts'],
  ['tokens + ((now - at) / 1_000) * perSecond', 'src/base/token-bucket.ts'],
  ['tokens + ((now - this.#at) / 1000) * limit.perSecond', 'src/base/token-bucket.ts'],
  ['new Worker(source, { ref: false })', 'src/base/worker.ts'],
  ['threads.start(source, { eval: true })', 'src/base/worker.ts'],
  ["database.run('BEGIN EXCLUSIVE')", 'src/base/folder-lock.ts'],
])('%p is rejected outside %p', (code, home) => {
  expect(isBanned(home, code)).toBe(false)
  expect(isBanned('src/server/jobs/other.ts', code)).toBe(true)
  expect(isBanned('tests/server/jobs/other.test.ts', code)).toBe(false)
})

test('products and powers that are no back-off are accepted', () => {
  for (const code of ['use.ms * 2 ** half', 'const size = 2 ** qubits', 'width * 2', 'ms / 1_000 * 2'])
    expect(isBanned('src/server/jobs/other.ts', code)).toBe(false)
})

test('each file with an exception exists', () => {
  const paths = [...SINGLE_IMPLEMENTATIONS, ...SINGLE_IMPLEMENTATION_TEXTS].flatMap(({ where }) =>
    [...where.source.matchAll(/[\w\\/-]+\\\.ts/g)].map(([path]) => `src/${path.replaceAll('\\', '')}`),
  )
  expect(paths.length).toBeGreaterThan(4)
  expect(paths.filter((path) => !existsSync(join(import.meta.dir, '../../..', path)))).toEqual([])
})
