import { join } from 'node:path'

/** A folder that the build makes: inside the executable, or in the repository. */
export function builtFolder(name: 'web' | 'licenses'): string {
  return Bun.main.startsWith('/$bunfs/') ? `/$bunfs/root/${name}` : join(import.meta.dir, '../..', name)
}
