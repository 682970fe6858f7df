import { join } from 'node:path'
import { openClientPython } from '../python/python.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { buildGo } from './go.ts'

const PYTHON_SOURCE = join(import.meta.dir, '../../../clients/python/src')

/** The command of each client that does what `runner.ts` describes. */
const RUNNERS: { readonly [client: string]: () => Promise<readonly string[]> } = {
  js: async () => [process.execPath, join(import.meta.dir, 'runner.ts')],
  go: async () => {
    const folder = temporaryFolder()
    process.on('exit', () => folder[Symbol.dispose]())
    const program = join(folder.path, 'runner')
    await buildGo('./internal/runner', program)
    return [program]
  },
  python: async () => [(await openClientPython()) ?? 'python3', join(import.meta.dir, 'runner.py')],
  'command line': async () => [process.execPath, join(import.meta.dir, 'command-line-runner.ts')],
}

/** A process that uses a client. */
export interface Runner {
  /** Its next line; undefined at its end. */
  next(): Promise<string | undefined>
  /** Its further lines. Rejects when it fails, with what it said. */
  rest(): Promise<string[]>
}

/** Starts processes against the server at `url`. */
export type StartRunner = (
  command: ['submit' | 'submit-asynchronously' | 'wait', number] | ['read', string],
  server: { url: string; token: string },
) => Runner

/** What starts processes of a client. @throws Error for a client without a runner. */
export async function openRunner(client: string): Promise<StartRunner> {
  const commandOf = RUNNERS[client]
  if (!commandOf) throw new Error(`no client "${client}"; there are ${Object.keys(RUNNERS).join(', ')}`)
  const runner = await commandOf()
  return (command, server) => start(client, [...runner, command[0], String(command[1])], server)
}

function start(client: string, command: string[], { url, token }: { url: string; token: string }): Runner {
  const made = Bun.spawn(command, {
    env: { ...process.env, PYTHONPATH: PYTHON_SOURCE, SVC_ADDR: url, SVC_API_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = new Response(made.stderr).text()
  const lines = linesOf(made.stdout)
  const next = async () => {
    const { done, value } = await lines.next()
    return done ? undefined : value
  }
  return {
    next,
    async rest() {
      const found: string[] = []
      for (let line = await next(); line !== undefined; line = await next()) found.push(line)
      if ((await made.exited) !== 0) throw new Error(`${client} failed: ${await said}`)
      return found
    },
  }
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
