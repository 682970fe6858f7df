import { SVC } from '../executable/service.ts'
import { freePort, freePortRange } from '../free-port.ts'

/** A running `svc demo`. */
export interface Demo extends AsyncDisposable {
  /** The variables with which clients reach it as its user. */
  readonly account: { SVC_ADDR: string; SVC_API_TOKEN: string }
}

/** Starts `svc demo` in `folder` and reads address and API token from what it prints. */
export async function startDemo(folder: string): Promise<Demo> {
  const ports = ['--server-port', String(freePort()), '--port-range-start', String(freePortRange(20))]
  const demo = Bun.spawn([SVC, 'demo', ...ports], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  const decoder = new TextDecoder()
  for await (const chunk of demo.stdout) {
    said += decoder.decode(chunk, { stream: true })
    const [, url, token] = /curl -s (http:\S+?)\/api\/jobs -H 'X-API-Token: (\w+)'/.exec(said) ?? []
    if (url === undefined || token === undefined) continue
    return {
      account: { SVC_ADDR: url, SVC_API_TOKEN: token },
      async [Symbol.asyncDispose]() {
        demo.kill()
        await demo.exited
      },
    }
  }
  throw new Error(`svc demo ended: ${said}`)
}
