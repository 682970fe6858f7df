import { expect, test } from 'bun:test'
import { nearest } from '../../../src/base/index.ts'

test.each([
  ['strat', ['start', 'devices'], 'start'],
  ['--server-prot', ['--server-port', '--https-port'], '--server-port'],
  ['job-timout', ['job_timeout', 'seed'], 'job_timeout'],
  ['SEED', ['job_timeout', 'seed'], 'seed'],
  ['cook', ['start', 'devices'], undefined],
  ['x'.repeat(101), ['x'.repeat(100)], undefined],
  ['start', [], undefined],
])('nearest(%p, %p) is %p', (text, words, word) => {
  expect(nearest(text, words)).toBe(word)
})
