import type { drawDiagram, findProblems, predictFidelity } from './check-program.ts'

/** What can be found in a program. */
export interface Tasks {
  problems: typeof findProblems
  diagram: typeof drawDiagram
  fidelity: typeof predictFidelity
}
export type Task = keyof Tasks

/** A task with what its function takes. */
export interface Question<T extends Task = Task> {
  task: T
  inputs: Parameters<Tasks[T]>
}

/** A thread that answers questions, one after the other. */
export interface ParserThread {
  ask(question: Question): void
  end(): void
}

type Found = (answer: unknown) => void

/**
 * Asks one thread of its own about programs, since parsing would delay typing and the code of the parser is
 * then loaded once.
 */
interface Parser {
  /** One question is asked at a time; of those that an asker has waiting, only the newest. */
  ask<T extends Task>(
    asker: object,
    question: Question<T>,
    found: (answer: ReturnType<Tasks[T]>) => void,
  ): void
  /** An asker that leaves gets no further answers; the thread ends with the last one. */
  leave(asker: object): void
}

/** `open` starts the thread, with the first question; one that fails is replaced for the next question. */
export function createParser(open: (found: Found, failed: () => void) => ParserThread): Parser {
  const askers = new Set<object>()
  const waiting = new Map<object, { question: Question; found: Found }>()
  let thread: ParserThread | undefined
  let running: Found | undefined

  const askNext = () => {
    const [next] = waiting
    if (running || !next) return
    const [asker, { question, found }] = next
    waiting.delete(asker)
    running = (answer) => askers.has(asker) && found(answer)
    thread ??= open(finish, close)
    thread.ask(question)
  }
  const finish = (answer: unknown) => {
    const done = running
    running = undefined
    done?.(answer)
    askNext()
  }
  /** Without a thread, the server still checks the program. */
  const close = () => {
    thread?.end()
    thread = running = undefined
    waiting.clear()
  }
  return {
    ask(asker, question, found) {
      askers.add(asker)
      // The thread answers each question with what the function of its task returns.
      waiting.set(asker, { question: question as Question, found: found as Found })
      askNext()
    },
    leave(asker) {
      askers.delete(asker)
      waiting.delete(asker)
      if (askers.size === 0) close()
    },
  }
}
