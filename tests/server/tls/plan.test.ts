import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type LeafProperties, type LeafState, planLeaf, renewalTime } from '../../../src/server/tls/plan.ts'

const GOOD: LeafProperties = {
  isByRoot: true,
  isByOwnKind: true,
  isPaired: true,
  notBefore: 0,
  notAfter: 900,
  hasExactNames: true,
  isCovering: true,
}
const FOREIGN: LeafProperties = { ...GOOD, isByRoot: false, isByOwnKind: false, hasExactNames: false }

function plan(cert: LeafState['cert'], key: LeafState['key'], now = 100, canIssue = true) {
  const decided = planLeaf({ cert, key, canIssue, now })
  return decided.action === 'refuse' ? `refuse ${decided.file}` : decided.action
}

describe('planLeaf()', () => {
  test.each<[string, string, Parameters<typeof plan>]>([
    ['keeps its own valid one', 'keep', [GOOD, 'made']],
    ['keeps it until two thirds of its life', 'keep', [GOOD, 'made', 599]],
    ['renews it from then on', 'issue', [GOOD, 'made', 600]],
    ['replaces one of an earlier root', 'issue', [{ ...GOOD, isByRoot: false }, 'made']],
    ['replaces one that lost its key', 'issue', [{ ...GOOD, isPaired: false }, 'made']],
    ['replaces one with other names', 'issue', [{ ...GOOD, hasExactNames: false }, 'made']],
    ['replaces one that is not valid yet', 'issue', [{ ...GOOD, notBefore: 101 }, 'made']],
    ['keeps its own until it expires without a root key', 'keep', [GOOD, 'made', 899, false]],
    ['refuses its own expired one without a root key', 'refuse cert', [GOOD, 'made', 900, false]],
    ['issues the first', 'issue', ['missing', 'missing']],
    ['cannot issue the first without a root key', 'refuse cert', ['missing', 'missing', 100, false]],
    ['replaces a damaged certificate next to its key', 'issue', ['unreadable', 'made']],
    ['refuses a damaged certificate next to a given key', 'refuse cert', ['unreadable', 'given']],
    ['refuses a damaged certificate without key', 'refuse cert', ['unreadable', 'missing']],
    ['refuses a given key without certificate', 'refuse cert', ['missing', 'given']],
    ['replaces its own certificate without key', 'issue', [GOOD, 'missing']],
    ['refuses a given certificate without key', 'refuse key', [FOREIGN, 'missing']],
    ['refuses a given certificate with a damaged key', 'refuse key', [FOREIGN, 'unreadable']],
    ['keeps a given one until it expires', 'keep', [FOREIGN, 'given', 899]],
    ['refuses a given one that has expired', 'refuse cert', [FOREIGN, 'given', 900]],
    ['refuses a given one that is not valid yet', 'refuse cert', [{ ...FOREIGN, notBefore: 101 }, 'given']],
    ['refuses a given one for other names', 'refuse cert', [{ ...FOREIGN, isCovering: false }, 'given']],
    ['refuses a given one without its key', 'refuse cert', [{ ...FOREIGN, isPaired: false }, 'given']],
    ['keeps one signed elsewhere for its own key', 'keep', [FOREIGN, 'made', 899]],
    ['does not touch one it signed for a given key', 'keep', [GOOD, 'given', 700]],
  ])('%s', (_, expected, args) => {
    expect(plan(...args)).toBe(expected)
  })

  const facts = fc.record({
    isByRoot: fc.boolean(),
    isByOwnKind: fc.boolean(),
    isPaired: fc.boolean(),
    notBefore: fc.integer({ min: 0, max: 1000 }),
    notAfter: fc.integer({ min: 0, max: 1000 }),
    hasExactNames: fc.boolean(),
    isCovering: fc.boolean(),
  })
  const states: fc.Arbitrary<LeafState> = fc.record({
    cert: fc.oneof(fc.constantFrom('missing' as const, 'unreadable' as const), facts),
    key: fc.constantFrom('missing' as const, 'unreadable' as const, 'made' as const, 'given' as const),
    canIssue: fc.boolean(),
    now: fc.integer({ min: 0, max: 1000 }),
  })

  test('never overwrites a key that it has not created or a certificate that it has not signed', () => {
    fc.assert(
      fc.property(states, (state) => {
        if (planLeaf(state).action !== 'issue') return
        expect(state.canIssue).toBe(true)
        expect(state.key).not.toBe('given')
        if (typeof state.cert === 'object') expect(state.cert.isByOwnKind).toBe(true)
      }),
    )
  })

  test('keeps only a certificate that a client accepts now', () => {
    fc.assert(
      fc.property(states, (state) => {
        if (planLeaf(state).action !== 'keep' || typeof state.cert !== 'object') return
        expect(
          state.cert.isPaired && state.cert.notBefore <= state.now && state.now < state.cert.notAfter,
        ).toBe(true)
        expect(state.cert.isCovering || state.cert.hasExactNames).toBe(true)
      }),
    )
  })
})

test('renewalTime() is after two thirds of the lifetime', () => {
  expect(renewalTime({ notBefore: 300, notAfter: 600 })).toBe(500)
})
