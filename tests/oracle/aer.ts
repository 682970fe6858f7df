import { join } from 'node:path'

/** A running Qiskit Aer that is asked one question after the other. */
export interface Aer extends AsyncDisposable {
  /** Asks `aer.py` one of its questions. Throws what Qiskit threw. */
  ask<T>(question: { ask: string } & Record<string, unknown>): Promise<T>
}

/** Starts `aer.py` under the interpreter of `openPython`. */
export function startAer(interpreter: string): Aer {
  const child = Bun.spawn([interpreter, '-W', 'ignore', join(import.meta.dir, 'aer.py')], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const answers = lines(child.stdout)
  let last: Promise<unknown> = Promise.resolve()
  const askNow = async (question: unknown) => {
    child.stdin.write(`${JSON.stringify(question)}\n`)
    await child.stdin.flush()
    const { value, done } = await answers.next()
    if (done) throw new Error(`aer.py ended with ${await child.exited}`)
    const { answer, error } = JSON.parse(value)
    if (error !== undefined) throw new Error(error)
    return answer
  }
  return {
    ask<T>(question: unknown) {
      const answer = last.then(() => askNow(question))
      last = answer.catch(() => undefined)
      return answer as Promise<T>
    },
    async [Symbol.asyncDispose]() {
      await last
      child.stdin.end()
      await child.exited
    },
  }
}

async function* lines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
}
