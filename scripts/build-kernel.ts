/**
 * Builds the simulator's kernel: AssemblyScript sources to `kernel.wasm` in their folder, which is not
 * committed.
 */
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Glob } from 'bun'

const repository = join(import.meta.dir, '..')
const folder = 'src/simulator/kernel'
const target = join(repository, folder, 'kernel.wasm')
const compiler = join(repository, 'node_modules/assemblyscript/bin/asc.js')

const OPTIONS = [
  '-O3',
  '--noAssert',
  '--enable',
  'simd,threads,bulk-memory',
  '--runtime',
  'stub',
  // The memory comes from outside, so that threads can share it; 65,536 pages are 4 GiB.
  '--importMemory',
  '--sharedMemory',
  '--initialMemory',
  '1',
  '--maximumMemory',
  '65536',
  // Vectors pass between the kernel's own functions only; addresses have 32 bits.
  '--disableWarning',
  '112',
  '--disableWarning',
  '201',
]

async function isFresh(): Promise<boolean> {
  const { lastModified } = Bun.file(target)
  if (!(await Bun.file(target).exists())) return false
  const sources = new Glob(`${folder}/assembly/*.ts`).scanSync({ cwd: repository, absolute: true })
  return [import.meta.path, ...sources].every((source) => Bun.file(source).lastModified <= lastModified)
}

/**
 * Builds the kernel unless it is newer than its sources. Throws with the output of the compiler when that
 * fails.
 */
export async function buildKernel(): Promise<void> {
  if (await isFresh()) return
  if (!(await Bun.file(compiler).exists())) {
    throw new Error('The compiler of the simulator kernel is not installed; run npm ci')
  }
  // Under another name first: two builds at the same time must not see each other's half.
  const made = `${folder}/kernel.${process.pid}.wasm`
  const args = [`${folder}/assembly/kernel.ts`, ...OPTIONS, '-o', made]
  const run = Bun.spawn([process.execPath, compiler, ...args], {
    cwd: repository,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(run.stdout).text(),
    new Response(run.stderr).text(),
    run.exited,
  ])
  if (code !== 0) {
    await rm(join(repository, made), { force: true })
    throw new Error(`The simulator kernel was not built\n${out}${err}`)
  }
  await rename(join(repository, made), target)
}

if (import.meta.main) await buildKernel()
