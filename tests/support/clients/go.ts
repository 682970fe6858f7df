import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const GO_CLIENT = join(import.meta.dir, '../../../clients/go')

/** Whether Go is installed, in a version that has iterators (1.23). */
export const hasGo = isNewEnough()

function isNewEnough(): boolean {
  if (!Bun.which('go')) return false
  const { stdout } = Bun.spawnSync(['go', 'env', 'GOVERSION'])
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(stdout.toString()) ?? []
  return Number(major) > 1 || Number(minor) >= 23
}

/** Runs a command of Go. @throws Error with what it printed when it fails. */
export async function runGo(
  args: readonly string[],
  { cwd = GO_CLIENT, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  const made = Bun.spawn(['go', ...args], {
    ...{ cwd, stdout: 'pipe', stderr: 'pipe' },
    // The client has no dependencies: nothing is downloaded.
    env: { ...process.env, GOFLAGS: '-mod=mod', GOTOOLCHAIN: 'local', ...env },
  })
  const [out, err, status] = await Promise.all([
    new Response(made.stdout).text(),
    new Response(made.stderr).text(),
    made.exited,
  ])
  if (status !== 0) throw new Error(`go ${args.join(' ')}: ${out}${err}`)
  return out
}

/** Builds a package of the Go client into a program. */
export async function buildGo(folder: string, program: string): Promise<void> {
  await runGo(['build', '-o', program, folder])
}

/**
 * A folder below `folder` for a program that uses the client as it is published, with the client in its
 * `go.mod`, and the environment in which `go` runs there.
 */
export async function openGoModule(folder: string): Promise<{ app: string; env: Record<string, string> }> {
  const proxy = join(folder, 'proxy')
  await runGo(['run', './internal/pack', proxy])
  const app = join(folder, 'go-app')
  mkdirSync(app)
  const env = {
    GOPROXY: `file://${proxy}`,
    GONOSUMDB: 'svc.example',
    GOMODCACHE: join(folder, 'modules'),
    // Files of the cache are read-only otherwise, and the folder could not be removed.
    GOFLAGS: '-modcacherw',
    GOCACHE: (await runGo(['env', 'GOCACHE'])).trim(),
  }
  await runGo(['mod', 'init', 'example'], { cwd: app, env })
  await runGo(['get', 'svc.example/clients/go'], { cwd: app, env })
  return { app, env }
}

/** The blocks of Go in a Markdown page, from the root of the repository. */
export function goBlocksOf(page: string): string {
  const text = readFileSync(join(GO_CLIENT, '../..', page), 'utf8')
  return [...text.matchAll(/```go\n(.*?)```/gs)].map(([, code]) => code ?? '').join('\n')
}

/** The formatter, which is beside `go`. */
export async function gofmt(): Promise<string> {
  return Bun.which('gofmt') ?? join((await runGo(['env', 'GOROOT'])).trim(), 'bin/gofmt')
}
