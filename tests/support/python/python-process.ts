/** A running Python script that receives one request after the other. */
export interface PythonProcess extends AsyncDisposable {
  /** Sends the script one of the requests that it serves. Throws what Python raised. */
  ask<T>(question: { ask: string } & Record<string, unknown>): Promise<T>
}

/**
 * Starts a script that serves its requests with `answers.py`, under the interpreter of `openPython`.
 * @param paths folders of packages that come before those of the interpreter
 */
export function startPython(
  interpreter: string,
  script: string,
  paths: readonly string[] = [],
): PythonProcess {
  const child = Bun.spawn([interpreter, '-W', 'ignore', script], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
    env: { ...process.env, PYTHONPATH: [...paths, import.meta.dir].join(':') },
  })
  const answers = lines(child.stdout)
  let last: Promise<unknown> = Promise.resolve()
  const askNow = async (question: unknown) => {
    child.stdin.write(`${JSON.stringify(question)}\n`)
    await child.stdin.flush()
    const { value, done } = await answers.next()
    if (done) throw new Error(`${script} ended with ${await child.exited}`)
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
