import { afterAll, describe, expect, test } from 'bun:test'
import { systemClock } from '../../../src/base/index.ts'
import { examine, examineBody, submissionWorker } from '../../../src/server/jobs/submission/examine.ts'
import { SubmissionThread } from '../../../src/server/programs/submission-thread.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const HEAD = 'OPENQASM 3.0; include "stdgates.inc"; qubit[4] q; bit[4] c; input float v;\n'

/** Long enough to be checked in the thread. */
const many = (line: string) => `${line}\n`.repeat(Math.ceil(300_000 / line.length))

const LARGE: Record<string, string> = {
  'plain calls': HEAD + many('cx q[0], q[1];'),
  'one loop': `${HEAD}for int i in [0:3] { ${many('rz(v) q[i];')} }`,
  'one definition': `${HEAD}gate g a, b { ${many('cx a, b;')} }`,
  'one expression': `${HEAD}rz(${many('1 + ')} 1) q[0];`,
  'a block that never ends': `${HEAD}if (c[0]) { ${many('x q[0];')}`,
  'more problems than are reported': `${HEAD}{ ${many('x q[7];')} }`,
  'only a comment': `/* ${many('hello')} */`,
  'unknown characters only': many('\u2603'),
}

/** Checked in the thread, quickly. */
const COMMENTED = `${HEAD}/* ${many('hello')} */`

/** Short, but more work than is checked inline. */
const WIDE: Record<string, string> = {
  'wide bits': `OPENQASM 3.0; bit[60000] c; ${'c = c | c;'.repeat(20)}`,
  'wide registers': `${HEAD}qubit[60000] r; ${'h r;'.repeat(3)}`,
  'more than is allowed': `${HEAD}qubit[60000] r; ${'barrier r;'.repeat(100)}`,
}

const caught = (error: unknown) => error

const requestOf = (programs: readonly string[]) => ({
  body: { value: { circuits: programs.map((circuit) => ({ circuit, parameter_values: [0] })) } },
  isRecord: false,
  isKeyed: false,
  dts: [],
})
const NO_PROBLEMS = { outcome: { problems: [] } }

/** An examination with its text decoded. */
function decoded({ outcome, fields }: ReturnType<typeof examine>) {
  if (!('text' in outcome) || typeof outcome.text === 'string') return { outcome, fields }
  return { outcome: { ...outcome, text: new TextDecoder().decode(outcome.text) }, fields }
}

describe('SubmissionThread.examine()', () => {
  // The start of a thread takes longer than most checks.
  const shared = new SubmissionThread(submissionWorker, systemClock)
  afterAll(() => shared.stop())

  test.each(Object.entries({ ...LARGE, ...WIDE }))(
    'returns the same as without a thread: %s',
    async (_, program) => {
      const examination = await shared.examine(requestOf([program]), 'ada')
      expect(decoded(examination)).toEqual(examine(requestOf([program])))
    },
  )

  test.each([
    ['one block', [LARGE['one loop'] ?? '']],
    ['few characters', [WIDE['wide bits'] ?? '']],
    [
      'many small programs',
      Array.from({ length: 300 }, (_, n) => `OPENQASM 3.0; bit[4000] c; c = c << ${n};`),
    ],
  ])('yields to the event loop during %s, and checks small programs meanwhile', async (_, programs) => {
    const ended: string[] = []
    const examiner = { thread: shared, account: 'ada', isKeyed: false, dts: async () => [] }
    const large = examineBody({ circuits: programs }, examiner).then(() => ended.push('large'))
    setImmediate(() => ended.push('loop'))
    const small = { circuits: ['OPENQASM 3.0; qubit q;'] }
    await examineBody(small, examiner).then(() => ended.push('small'))
    await large
    expect(ended).toEqual(['small', 'loop', 'large'])
  })

  test('runs one check at a time, refuses too many, and refuses all when the server stops', async () => {
    const thread = new SubmissionThread(submissionWorker, systemClock)
    const ended: string[] = []
    let accounts = 0
    const check = async (what: string) => {
      accounts += 1
      const response = await thread
        .examine(requestOf([LARGE['plain calls'] ?? '']), `user${accounts}`)
        .catch(caught)
      ended.push(what)
      return response
    }
    const [first, second, ...others] = ['first', 'second', ...Array<string>(99).fill('other')].map(check)
    const busy = { code: 'unavailable', reason: 'too_many_large_programs', retryAfter: 5 }
    expect(await check('too many')).toMatchObject(busy)
    expect(await first).toMatchObject(NO_PROBLEMS)
    expect(await second).toEqual(await first)
    expect(ended).toEqual(['too many', 'first', 'second'])
    thread.stop()
    thread.stop()
    for (const other of [...others, check('late')]) {
      expect(await other).toMatchObject({ code: 'unavailable', reason: undefined })
    }
  })

  test('continues after a failure of its thread', async () => {
    const thread = new SubmissionThread(submissionWorker, systemClock)
    const unknown = { bytes: new Uint8Array(9), sender: 'nobody' as 'user' }
    expect(await thread.examine({ ...requestOf([]), body: unknown }, 'ada').catch(caught)).toMatchObject({
      message: expect.stringMatching(/^The thread that checks programs ended: /),
    })
    expect(await thread.examine(requestOf([LARGE['plain calls'] ?? '']), 'ada')).toMatchObject(NO_PROBLEMS)
  })

  test('lets accounts take turns, and limits how many requests of one account wait', async () => {
    const thread = new SubmissionThread(submissionWorker, systemClock)
    const ended: string[] = []
    const check = async (account: string) => {
      const response = await thread.examine(requestOf([LARGE['plain calls'] ?? '']), account).catch(caught)
      ended.push(account)
      return response
    }
    const all = [...Array<string>(21).fill('ada'), 'bob', 'bob', 'eve'].map(check)
    expect(await check('ada')).toMatchObject({ code: 'unavailable', reason: 'too_many_large_programs' })
    await Promise.all(all.slice(-3))
    expect(ended.slice(0, 7)).toEqual(['ada', 'ada', 'ada', 'bob', 'eve', 'ada', 'bob'])
    thread.stop()
    await Promise.all(all)
  })

  const refusalAfter = async (advanceMs: number, processorMs: () => number | undefined) => {
    const clock = new FakeClock()
    const thread = new SubmissionThread(submissionWorker, clock, { processorMs })
    // The thread gets no time to respond: the clock moves in the same turn.
    const slow = thread.examine(requestOf([LARGE['one loop'] ?? '']), 'ada').catch(caught)
    await clock.advance(advanceMs)
    const refusal = await slow
    expect(await thread.examine(requestOf([LARGE['plain calls'] ?? '']), 'ada')).toMatchObject(NO_PROBLEMS)
    return refusal
  }

  test('refuses programs whose check takes more than 10 s of processor time, and checks the next ones', async () => {
    const expected = {
      code: 'invalid',
      reason: 'check_too_long',
      message: expect.stringContaining('several jobs'),
    }
    expect(await refusalAfter(10_000, () => undefined)).toMatchObject(expected)
  })

  test('the caller may repeat a check for which a busy machine has no time', async () => {
    const { promise: isRunning, resolve } = Promise.withResolvers<void>()
    const clock = new FakeClock()
    const thread = new SubmissionThread(submissionWorker, clock, {
      processorMs: () => {
        resolve()
        return 9_000
      },
    })
    await thread.examine(requestOf([LARGE['plain calls'] ?? '']), 'ada')
    const slow = thread.examine(requestOf([LARGE['one loop'] ?? '']), 'ada').catch(caught)
    await isRunning
    for (let s = 0; s < 25; s += 1) await clock.advance(1_000)
    expect(await slow).toMatchObject({
      code: 'unavailable',
      reason: 'too_many_large_programs',
      retryAfter: expect.any(Number),
    })
    expect(await thread.examine(requestOf([LARGE['plain calls'] ?? '']), 'ada')).toMatchObject(NO_PROBLEMS)
  })

  test.each([
    ['replaces a thread that keeps a large heap', { maxIdleHeapBytes: 1 }, 3],
    ['keeps the thread otherwise', {}, 1],
  ])('%s', async (_, options, threads) => {
    const { Worker: Original } = globalThis
    let started = 0
    globalThis.Worker = class extends Original {
      constructor(...args: ConstructorParameters<typeof Original>) {
        super(...args)
        started += 1
      }
    }
    const thread = new SubmissionThread(submissionWorker, systemClock, options)
    for (let check = 0; check < 3; check += 1) {
      expect(await thread.examine(requestOf([COMMENTED]), 'ada')).toMatchObject(NO_PROBLEMS)
    }
    globalThis.Worker = Original
    thread.stop()
    expect(started).toBe(threads)
  })
})
