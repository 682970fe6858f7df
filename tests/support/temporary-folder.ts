import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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
