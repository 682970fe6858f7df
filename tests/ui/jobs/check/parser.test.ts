import { expect, test } from 'bun:test'
import {
  type Answers,
  createParser,
  type ParserThread,
  type Question,
  type Task,
} from '../../../../ui/jobs/check/parser.ts'
import type { Diagnostics } from '../../../../ui/jobs/problems.ts'

/** Threads that answer or fail when they are asked to. */
function openThreads() {
  const threads: { texts: string[]; isOver: boolean; answer(): void; fail(): void }[] = []
  const open = (fail: () => void): ParserThread => {
    const thread = { texts: [] as string[], isOver: false, fail, answer: () => {} }
    threads.push(thread)
    return {
      ask<T extends Task>({ inputs: [text] }: Question<T>, found: (answer: Answers[T]) => void) {
        thread.texts.push(String(text))
        thread.answer = () => found(resultOf(String(text)) as Answers[T])
      },
      end: () => {
        thread.isOver = true
      },
    }
  }
  return { threads, parser: createParser(open) }
}
const resultOf = (text: string): Diagnostics => ({ text, inputs: [], qubits: 1, problems: [] })
const check = (text: string) => ({ task: 'problems' as const, inputs: [text] as [string] })

test('a question is asked at a time; of those that an asker has waiting only the newest', () => {
  const { threads, parser } = openThreads()
  const [editor, diagram] = [{}, {}]
  const found: string[] = []
  const note = ({ text }: Diagnostics) => found.push(text)
  for (const text of ['one', 'two', 'three']) parser.ask(editor, check(text), note)
  for (const text of ['four', 'five']) parser.ask(diagram, check(text), note)
  expect(threads.map(({ texts }) => texts)).toEqual([['one']])
  for (let answers = 0; answers < 3; answers += 1) threads[0]?.answer()
  expect(found).toEqual(['one', 'three', 'five'])
  expect(threads).toHaveLength(1)
})

test('an asker that has left gets no answer, and the thread ends with the last one', () => {
  const { threads, parser } = openThreads()
  const [editor, diagram] = [{}, {}]
  const found: string[] = []
  parser.ask(editor, check('one'), ({ text }) => found.push(text))
  parser.ask(diagram, check('two'), ({ text }) => found.push(text))
  parser.leave(editor)
  threads[0]?.answer()
  expect(threads[0]?.isOver).toBe(false)
  threads[0]?.answer()
  expect(found).toEqual(['two'])
  parser.leave(diagram)
  expect(threads[0]?.isOver).toBe(true)
})

test('a thread that fails is replaced by the next question', () => {
  const { threads, parser } = openThreads()
  const found: string[] = []
  parser.ask(parser, check('one'), ({ text }) => found.push(text))
  threads[0]?.fail()
  expect(threads[0]?.isOver).toBe(true)
  parser.ask(parser, check('two'), ({ text }) => found.push(text))
  threads[1]?.answer()
  expect(found).toEqual(['two'])
})
