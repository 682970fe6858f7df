import { expect, test } from 'bun:test'
import { type CheckThread, createBackgroundCheck } from '../../../../ui/jobs/check/background-check.ts'
import type { Diagnostics } from '../../../../ui/jobs/problems.ts'

/** Threads that answer or fail when they are asked to. */
function openThreads() {
  const threads: { texts: string[]; isOver: boolean; answer(): void; fail(): void }[] = []
  const open = (found: (diagnostics: Diagnostics) => void, fail: () => void): CheckThread => {
    const texts: string[] = []
    const thread = { texts, isOver: false, fail, answer: () => found(resultOf(texts.at(-1) ?? '')) }
    threads.push(thread)
    return {
      check: (text) => void texts.push(text),
      end: () => {
        thread.isOver = true
      },
    }
  }
  return { threads, open }
}
const resultOf = (text: string): Diagnostics => ({ text, inputs: [], qubits: 1, problems: [] })

test('a check runs at a time; of the texts that arrive meanwhile only the newest is checked', () => {
  const { threads, open } = openThreads()
  const background = createBackgroundCheck(open)
  const found: string[] = []
  for (const text of ['one', 'two', 'three']) background.check(text, (result) => found.push(result.text))
  expect(threads.map(({ texts }) => texts)).toEqual([['one']])
  threads[0]?.answer()
  threads[0]?.answer()
  expect(found).toEqual(['one', 'three'])
  expect(threads).toHaveLength(1)
  background.close()
  expect(threads[0]?.isOver).toBe(true)
})

test('a thread that fails is replaced by the next check', () => {
  const { threads, open } = openThreads()
  const background = createBackgroundCheck(open)
  const found: string[] = []
  background.check('one', ({ text }) => found.push(text))
  threads[0]?.fail()
  expect(threads[0]?.isOver).toBe(true)
  background.check('two', ({ text }) => found.push(text))
  threads[1]?.answer()
  expect(found).toEqual(['two'])
})
