import { join } from 'node:path'

/** The bare Hono application in a separate process. */
export class BareRoute implements AsyncDisposable {
  readonly url: string
  /** Time from the start of the process to its first response in ms. */
  readonly startMs: number
  readonly #process: Bun.Subprocess

  private constructor(process: Bun.Subprocess, url: string, startMs: number) {
    this.#process = process
    this.url = url
    this.startMs = startMs
  }

  static async start(): Promise<BareRoute> {
    const start = performance.now()
    const child = Bun.spawn([process.execPath, join(import.meta.dir, 'route-server.ts')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const { value } = await child.stdout.getReader().read()
    const url = `http://127.0.0.1:${Number(new TextDecoder().decode(value))}`
    const response = await fetch(`${url}/api/health`)
    if (!response.ok) throw new Error(`the reference returned ${response.status}`)
    return new BareRoute(child, url, performance.now() - start)
  }

  get pid(): number {
    return this.#process.pid
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill()
    await this.#process.exited
  }
}
