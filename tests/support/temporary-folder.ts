import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RUNS_WHOLE } from './whole.ts'

/** A folder that is removed at the end of its scope. */
export interface TemporaryFolder extends Disposable {
  path: string
}

/**
 * Makes an empty folder: `using folder = temporaryFolder()` in a test; tests that share one make it at the
 * top of their file and call `folder[Symbol.dispose]()` in `afterAll`. `parent` is for tests about other file
 * systems.
 */
export function temporaryFolder(parent = tmpdir()): TemporaryFolder {
  const path = mkdtempSync(join(parent, 'svc-test-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** Where Linux keeps files in memory, and how its file system calls itself. */
const IN_MEMORY = { path: '/dev/shm', type: 0x01021994 }
/** All files of a test run have less than a tenth of it. */
const ENOUGH_BYTES = 2 ** 31

/** Whether files can be in memory; whole runs have them on the disk, where products have theirs. */
function hasMemory(): boolean {
  if (RUNS_WHOLE || !existsSync(IN_MEMORY.path)) return false
  const { type, bavail, bsize } = statfsSync(IN_MEMORY.path)
  return type === IN_MEMORY.type && bavail * bsize >= ENOUGH_BYTES
}

const databaseParent = hasMemory() ? IN_MEMORY.path : tmpdir()

/**
 * As `temporaryFolder()`, in memory if the system has room there: a database on a disk waits for it at each
 * commit, and takes half as much processor time again.
 */
export const databaseFolder = () => temporaryFolder(databaseParent)
