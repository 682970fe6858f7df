/**
 * The public tools that tests run under Python, in an environment of their own outside of the repository.
 * `bun tests/support/python/python.ts` installs it ahead of the tests, as `.ci/run` does.
 */
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const REQUIREMENTS = join(import.meta.dir, 'requirements.txt')

/**
 * The interpreter that has `requirements.txt`; the first caller installs it (about a minute). Undefined where
 * that is not possible, which skips the tests on a developer's machine; on CI that is an error.
 */
export async function openPython(): Promise<string | undefined> {
  try {
    return await install()
  } catch (error) {
    if (process.env['CI']) throw error
    console.warn(`Tests with Python tools are skipped: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
}

async function install(): Promise<string> {
  if (!Bun.which('python3')) throw new Error('install python3')
  const version = await run(['python3', '-c', 'import sys; print(sys.version, sys.platform)'])
  const [, minor = '0'] = /^3\.(\d+)/.exec(version) ?? []
  if (Number(minor) < 11) throw new Error(`python3 is ${version.split(' ')[0]}, the tools need 3.11 or newer`)
  const requirements = await Bun.file(REQUIREMENTS).text()
  const key = Bun.hash(version + requirements).toString(36)
  const folder = join(tmpdir(), `svc-python-${key}`)
  if (!existsSync(folder)) await make(folder)
  return join(folder, 'bin/python')
}

/**
 * The first of several installations is used; nothing that tests use contains the path of its environment.
 */
async function make(folder: string): Promise<void> {
  const draft = mkdtempSync(`${folder}-`)
  try {
    await run(['python3', '-m', 'venv', draft])
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary', ':all:']
    await run([join(draft, 'bin/python'), ...pip, '--require-hashes', '-r', REQUIREMENTS])
    if (!existsSync(folder)) renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function run(command: string[]): Promise<string> {
  const process = Bun.spawn(command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err, status] = await Promise.all([
    new Response(process.stdout).text(),
    new Response(process.stderr).text(),
    process.exited,
  ])
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${err.slice(-2_000)}`)
  return out.trim()
}

if (import.meta.main) console.log(await openPython())
