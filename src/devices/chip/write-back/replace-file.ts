import {
  closeSync,
  copyFileSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { flush } from '../../../base/index.ts'
import { stampOf } from '../files/watched-file.ts'

const MODE = 0o7777

/**
 * Replaces the content of a file in one step and keeps what it was in `.prev`: a crash at any moment leaves a
 * whole file, the old or the new one. Mode and owner stay. The text is on the disk when this returns.
 *
 * Does nothing and returns false when the file is not the one of `stamp` anymore.
 * @param path of the file itself, with links resolved.
 * @throws Error of the file system, for example for a folder that cannot be written.
 */
export function replaceFile(path: string, text: string, stamp: string): boolean {
  const temporary = `${path}.${process.pid}.tmp`
  const previous = `${path}.prev.${process.pid}.tmp`
  removeAbandoned(path)
  try {
    writeLike(temporary, text, path)
    if (stampOf(path) !== stamp) return false
    keepAs(path, previous)
    renameSync(previous, `${path}.prev`)
    renameSync(temporary, path)
    flush(dirname(path))
    return true
  } finally {
    // A rename between two links of one file leaves both.
    for (const each of [temporary, previous]) rmSync(each, { force: true })
  }
}

/**
 * Writes a file of our own in one step, without keeping what it was; a new one is readable by its owner and
 * group.
 */
export function writeWhole(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  removeAbandoned(path)
  try {
    writeLike(temporary, text, path)
    renameSync(temporary, path)
    flush(dirname(path))
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Writes a new file with the mode and, where that is allowed, the owner of another one. */
function writeLike(path: string, text: string, model: string): void {
  const like = statSync(model, { throwIfNoEntry: false })
  const file = openSync(path, 'wx', 0o640)
  try {
    if (like) {
      giveTo(file, like.uid, like.gid)
      fchmodSync(file, like.mode & MODE)
    }
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function giveTo(file: number, uid: number, gid: number): void {
  try {
    fchownSync(file, uid, gid)
  } catch {
    // Only root may give files away; the group alone is often possible, and its owner then is the writer.
  }
}

/** A second name for a file, or a copy where the file system has no links. */
function keepAs(path: string, name: string): void {
  try {
    linkSync(path, name)
  } catch {
    copyFileSync(path, name)
  }
}

/** Removes what a killed writer left. */
function removeAbandoned(path: string): void {
  const name = basename(path)
  for (const entry of readdirSync(dirname(path))) {
    const pid = entry.startsWith(`${name}.`)
      ? /^\.(?:prev\.)?(\d+)\.tmp$/.exec(entry.slice(name.length))?.[1]
      : undefined
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(dirname(path), entry), { force: true })
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
