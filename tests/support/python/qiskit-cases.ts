import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAdaptersPython } from './python.ts'

const REQUIREMENTS = join(import.meta.dir, 'requirements-qiskit-cases.txt')

/** Qiskit's own tests of its primitives, and what they import. */
export interface QiskitCases {
  interpreter: string
  /** The folder with the package `test` of Qiskit's source distribution. */
  folder: string
  /** Folders and wheels that come before those of the interpreter. */
  paths: readonly string[]
}

/**
 * Downloads the source distribution of the Qiskit that the adapters are tested with. It is neither built nor
 * part of the path: its tests run on the installed package. Undefined where `openAdaptersPython` is.
 */
export async function openQiskitCases(): Promise<QiskitCases | undefined> {
  const interpreter = await openAdaptersPython()
  if (interpreter === undefined) return undefined
  const key = Bun.hash(await Bun.file(REQUIREMENTS).text()).toString(36)
  const folder = join(tmpdir(), `svc-qiskit-cases-${key}`)
  if (!existsSync(folder)) await download(interpreter, folder)
  const wheels = readdirSync(folder).filter((name) => name.endsWith('.whl'))
  return { interpreter, folder, paths: [folder, ...wheels.map((name) => join(folder, name))] }
}

async function download(interpreter: string, folder: string): Promise<void> {
  const draft = mkdtempSync(`${folder}-`)
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--require-hashes']
    const only = ['--no-deps', '--no-binary', 'qiskit']
    await run([interpreter, ...pip, ...only, '-d', draft, '-r', REQUIREMENTS])
    const [source = ''] = readdirSync(draft).filter((name) => name.endsWith('.tar.gz'))
    const inside = `${source.replace(/\.tar\.gz$/, '')}/test`
    await run(['tar', '-xzf', join(draft, source), '-C', draft, '--strip-components=1', inside])
    if (!existsSync(folder)) renameSync(draft, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function run(command: string[]): Promise<void> {
  const made = Bun.spawn(command, { stdio: ['ignore', 'ignore', 'pipe'] })
  const [error, status] = await Promise.all([new Response(made.stderr).text(), made.exited])
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}: ${error.slice(-2_000)}`)
}
