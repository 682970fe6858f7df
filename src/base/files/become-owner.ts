import { accessSync, constants, existsSync, lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { AppError } from '../error.ts'

/** Paths of the caller that the owner of the data folder has to be able to use. */
export interface CallerPaths {
  reads?: readonly string[]
  /** Files to create. */
  creates?: readonly string[]
}

/**
 * As root, this process becomes the owner of the data folder, for good: what it writes there belongs to the
 * account of the service, and a link that this account has put there leads nowhere that it may not go itself.
 * Nothing is given to another owner.
 * @throws AppError `forbidden` when the owner cannot use a path of the caller.
 */
export function becomeOwner(dir: string, { reads = [], creates = [] }: CallerPaths = {}): void {
  if (process.getuid?.() !== 0) return
  const { uid, gid: folderGid } = ownerOf(resolve(dir))
  if (uid === 0) return
  const [name, gid = folderGid] = accountOf(uid)
  process.setgroups?.([gid])
  process.setgid?.(gid)
  process.setuid?.(uid)
  const user = name ?? `#${uid}`
  const uses: [path: string, what: string, mode: number][] = [
    ...reads.map((path): [string, string, number] => [path, 'read', constants.R_OK]),
    ...creates.map((path): [string, string, number] => [dirname(resolve(path)), 'write to', constants.W_OK]),
  ]
  for (const [path, what, mode] of uses) {
    try {
      accessSync(path, mode)
    } catch (cause) {
      throw new AppError(
        'forbidden',
        `${path}: run as root, this command works as ${user}, the owner of ${dir}, who may not ${what} it; choose a path that sudo -u ${user} can ${what}`,
        { cause },
      )
    }
  }
}

/** Owner of a folder, or of the nearest one above that exists; of a link itself unless root made it. */
function ownerOf(path: string): { uid: number; gid: number } {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return path === dirname(path) ? { uid: 0, gid: 0 } : ownerOf(dirname(path))
  const isOfRoot = found.isSymbolicLink() && found.uid === 0
  return (isOfRoot && statSync(path, { throwIfNoEntry: false })) || found
}

/** Name and group of an account of this machine; nothing for one that has no name. */
function accountOf(uid: number): [name?: string, gid?: number] {
  const lines = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : []
  const [name, , , gid] = lines.map((line) => line.split(':')).find(([, , id]) => id === String(uid)) ?? []
  return name === undefined ? [] : [name, Number(gid)]
}
