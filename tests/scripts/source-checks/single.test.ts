import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkSingle, implementations } from '../../../scripts/source-checks/single.ts'
import type { SourceFile } from '../../../scripts/source-checks/source-tree.ts'
import { SINGLE_IMPLEMENTATIONS } from '../../../scripts/source-rules/single.ts'
import { scanSource } from '../../../scripts/source-text.ts'

const fileOf = (file: string, source: string): SourceFile => ({ file, source, ...scanSource(source) })

test.each([
  ['back-off', 'const ms = Math.min(maxMs, firstMs * 2 ** (failures - 1))'],
  ['back-off', 'pause = Math.min(pause * 2, MAX_PAUSE_MS)'],
  ['back-off', 'pause *= 2'],
  ['time-out', 'await Promise.race([work, clock.sleep(ms)])'],
  ['time-out', 'fetch(url, { signal: AbortSignal.timeout(5) })'],
  ['folder lock', 'interface DriverLock { release(): void }'],
  ['folder lock', "database.run('BEGIN EXCLUSIVE')"],
  ['token bucket', 'const tokens = this.#tokens + ((now - this.#at) / 1_000) * perSecond'],
  ['token bucket', 'tokens + ((now - this.#at) / 1000) * limit.perSecond'],
  ['worker start', 'new Worker(source, { ref: false })'],
  ['worker start', 'threads.start(source, { eval: true })'],
  [
    'thread with requests',
    'this.#worker ??= startWorker(jsonWorker, { onResponse: (it) => this.#next(it) })',
  ],
  ['queue of turns', 'this.#waiting.delete(caller)\nif (own.length > 0) this.#waiting.set(caller, own)'],
])('checkSingle() finds a second %s: %s', (what, code) => {
  expect(checkSingle(fileOf('src/server/jobs/x.ts', code)).map(({ rule }) => rule)).toEqual([
    `second ${what}`,
  ])
  const home = SINGLE_IMPLEMENTATIONS.find((each) => each.what === what)?.home ?? ''
  expect(checkSingle(fileOf(home, code))).toEqual([])
  expect(implementations([fileOf(home, code)]).get(what)).toEqual([home])
  expect(checkSingle(fileOf('tests/x.ts', code))).toEqual([])
  expect(checkSingle(fileOf('src/server/jobs/x.ts', `/* ${code} */`))).toEqual([])
})

test('checkSingle() accepts products and powers that are no back-off', () => {
  for (const code of ['use.ms * 2 ** half', 'const size = 2 ** qubits', 'width * 2', 'ms / 1_000 * 2']) {
    expect(checkSingle(fileOf('src/server/jobs/x.ts', code))).toEqual([])
  }
})

test('every home and every exception exists', () => {
  const files = SINGLE_IMPLEMENTATIONS.flatMap(({ home, except = {} }) => [home, ...Object.keys(except)])
  expect(files.filter((file) => !existsSync(join(import.meta.dir, '../../..', file)))).toEqual([])
})
