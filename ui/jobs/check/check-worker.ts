import { drawDiagram, findProblems, predictFidelity } from './check-program.ts'
import type { Question, Task, Tasks } from './parser.ts'

const TASKS: Tasks = { problems: findProblems, diagram: drawDiagram, fidelity: predictFidelity }

/** Answers each question with what the function of its task returns, in their order. */
self.addEventListener('message', ({ data: { task, inputs } }: MessageEvent<Question>) => {
  // The inputs of a question are those of its task.
  const find = TASKS[task] as (...inputs: Parameters<Tasks[Task]>) => unknown
  self.postMessage(find(...inputs))
})
