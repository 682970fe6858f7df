import { chmodSync, copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { SVC } from './service.ts'

/** Runs the command that follows as a user who owns nothing; takes root and the program `setpriv`. */
export const AS_OTHER_USER = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']

/** Copies the executable into `folder`: the repository may be in a folder that other users cannot enter. */
export function copyForOtherUser(folder: string): string {
  const executable = join(folder, 'svc')
  copyFileSync(SVC, executable)
  chmodSync(executable, 0o755)
  return executable
}
