import type { drawDiagram, findProblems, predictFidelity } from './check-program.ts'

/** What can be found in a program. */
export interface Tasks {
  problems: typeof findProblems
  diagram: typeof drawDiagram
  fidelity: typeof predictFidelity
}
export type Task = keyof Tasks
/** What the function of each task returns. */
export type Answers = { [T in Task]: ReturnType<Tasks[T]> }

/** A task with what its function takes. */
export interface Question<T extends Task = Task> {
  task: T
  inputs: Parameters<Tasks[T]>
}

/** A thread that answers questions, one after the other. */
export interface ParserThread {
  ask<T extends Task>(question: Question<T>, found: (answer: Answers[T]) => void): void
  end(): void
}

/**
 * Asks one thread of its own about programs, since parsing would delay typing and the code of the parser is
 * then loaded once.
 */
interface Parser {
  /** One question is asked at a time; of those that an asker has waiting, only the newest. */
  ask<T extends Task>(asker: object, question: Question<T>, found: (answer: Answers[T]) => void): void
  /** An asker that leaves gets no further answers; the thread ends with the last one. */
  leave(asker: object): void
}

/** `open` starts the thread, with the first question; one that fails is replaced for the next question. */
export function createParser(open: (failed: () => void) => ParserThread): Parser {
  const askers = new Set<object>()
  /** Sends the question of each asker to a thread. */
  const waiting = new Map<object, (thread: ParserThread) => void>()
  let thread: ParserThread | undefined
  let isRunning = false

  const askNext = () => {
    const [next] = waiting
    if (isRunning || !next) return
    const [asker, send] = next
    waiting.delete(asker)
    isRunning = true
    thread ??= open(close)
    send(thread)
  }
  /** Without a thread, the server still checks the program. */
  const close = () => {
    thread?.end()
    thread = undefined
    isRunning = false
    waiting.clear()
  }
  return {
    ask(asker, question, found) {
      askers.add(asker)
      waiting.set(asker, (each) =>
        each.ask(question, (answer) => {
          isRunning = false
          if (askers.has(asker)) found(answer)
          askNext()
        }),
      )
      askNext()
    },
    leave(asker) {
      askers.delete(asker)
      waiting.delete(asker)
      if (askers.size === 0) close()
    },
  }
}
