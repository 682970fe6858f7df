import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '../../..')
const CLIENT = join(ROOT, 'clients/js')

/** Compiles TypeScript as the repository does. */
export const TSC = join(ROOT, 'node_modules/.bin/tsc')

/** Runs a program to its end in a bare environment; returns what it printed. @throws Error when it fails. */
export async function run(command: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const made = Bun.spawn(command, {
    ...{ cwd, stdout: 'pipe', stderr: 'pipe' },
    env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env },
  })
  const [out, err, status] = await Promise.all([
    new Response(made.stdout).text(),
    new Response(made.stderr).text(),
    made.exited,
  ])
  if (status !== 0) throw new Error(`${command.join(' ')}: ${out}${err}`)
  return out
}

/** The JavaScript client as it is published, installed below `folder` in a program: returns its folder. */
export async function installPackedClient(folder: string): Promise<string> {
  const source = join(folder, 'package')
  cpSync(CLIENT, source, { recursive: true })
  await run([TSC, '-p', '.'], source)
  const packed = (await run(['npm', 'pack', '--silent', '--ignore-scripts'], source)).trim()
  const app = join(folder, 'app')
  mkdirSync(app)
  writeFileSync(join(app, 'package.json'), JSON.stringify({ type: 'module', private: true }))
  await run(['npm', 'install', '--silent', '--no-audit', '--offline', join(source, packed)], app)
  return app
}

/** The blocks of JavaScript in a Markdown page. */
export function scriptsOf(page: string): string[] {
  return [...readFileSync(join(ROOT, page), 'utf8').matchAll(/```js\n(.*?)```/gs)].map(
    ([, code]) => code ?? '',
  )
}

/** The first example of the client's README. */
export function readmeExample(): string {
  const readme = readFileSync(join(CLIENT, 'README.md'), 'utf8')
  return /```ts\n(.*?)```/s.exec(readme)?.[1] ?? ''
}
