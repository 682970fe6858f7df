import { join } from 'node:path'
import { certificates, PASSWORD, USER } from '../support/sockets/message-sockets.ts'
import { until } from '../support/until.ts'

/** The task of a libzmq peer. */
export interface PeerTask {
  role: 'push' | 'pull'
  /** Whether libzmq listens (and is the PLAIN server); otherwise it connects to `port`. */
  listens: boolean
  port: number
  mechanism: 'PLAIN' | 'NULL'
  user: string
  password: string
  /** Whether it sends or receives all messages of `messages.mjs`. */
  transfers: boolean
  heartbeatMs: number
}

/** A libzmq peer in a Node process. */
export interface LibzmqProcess extends AsyncDisposable {
  child: { kill(signal: NodeJS.Signals): void }
  /** The rest of each line that starts with this word. */
  linesOf(word: string): string[]
  /** The TLS port in front of a listening peer. */
  port(): Promise<number>
}

/** The real Node: libzmq aborts under Bun. */
export const node = Bun.which('node')

export function startLibzmq(task: Pick<PeerTask, 'role' | 'listens'> & Partial<PeerTask>): LibzmqProcess {
  const { caPem, keyPem, certPem } = certificates
  const whole: PeerTask = {
    port: 0,
    mechanism: 'PLAIN',
    user: USER,
    password: PASSWORD,
    transfers: false,
    heartbeatMs: 3_000,
    ...task,
  }
  const script = join(import.meta.dir, 'libzmq-peer.mjs')
  const argument = JSON.stringify({ ...whole, caPem, keyPem, certPem })
  const child = Bun.spawn([node ?? 'node', script, argument], { stdout: 'pipe', stderr: 'inherit' })
  let output = ''
  const reading = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of child.stdout) output += decoder.decode(chunk, { stream: true })
  })()
  const linesOf = (word: string) =>
    output
      .split('\n')
      .filter((line) => line.startsWith(`${word} `))
      .map((line) => line.slice(word.length + 1))
  return {
    child,
    linesOf,
    async port() {
      await until('libzmq listens', () => linesOf('port').length > 0)
      return Number(linesOf('port')[0])
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await reading
    },
  }
}
