import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Runs `build` in a temporary folder of the system, where it makes the file or folder `name`, and puts that
 * in the place of `target`, whose folder is made if there is none. Leaves the old `target` as it was when
 * `build` throws.
 */
export async function buildAndPlace<T>(
  name: string,
  target: string,
  build: (path: string) => Promise<T>,
): Promise<T> {
  await mkdir(dirname(target), { recursive: true })
  const folder = await mkdtemp(join(tmpdir(), 'svc-build-'))
  try {
    const path = join(folder, name)
    const built = await build(path)
    await replace(path, target)
    return built
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Moves a file or folder into the place of `target`. From another file system it is copied beside `target`
 * first, under a fixed name that git ignores, so that `target` is never half written and the next build
 * replaces what an interrupted copy left. `move` is `rename`, except in tests.
 */
export async function replace(path: string, target: string, move = rename): Promise<void> {
  try {
    await renameOver(path, target, move)
  } catch (error) {
    if (codeOf(error) !== 'EXDEV') throw error
    const copy = `${target}.partial`
    try {
      await rm(copy, { recursive: true, force: true })
      await cp(path, copy, { recursive: true, preserveTimestamps: true })
      await renameOver(copy, target, rename)
    } finally {
      await rm(copy, { recursive: true, force: true })
    }
  }
}

/** As `rename`, which replaces files but no folders with entries. */
async function renameOver(path: string, target: string, move: typeof rename): Promise<void> {
  try {
    await move(path, target)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) throw error
    await rm(target, { recursive: true })
    await move(path, target)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
