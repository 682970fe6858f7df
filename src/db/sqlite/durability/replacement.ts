import { feature } from 'bun:bundle'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError, failpoint, flush } from '../../../base/index.ts'
import { DATABASE_FILE, REPLACEMENT_FILE } from '../database-file.ts'

/**
 * A replacement of the database file by another one, as its journal describes it; see
 * docs/decisions/0016-restore-in-place.md.
 */
interface Replacement {
  /** The new database, relative to the data folder, alone in a folder of its own. */
  readonly staged: string
  /** File name of the old database after the replacement. */
  readonly kept: string
  /** What was restored, for messages. */
  readonly backup: string
  /** `forward` puts the new database into service, `back` the old one. */
  readonly direction: 'forward' | 'back'
}

/** The database comes last: while its file is there, the other files belong to it. */
const SUFFIXES = ['-wal', '-mark', ''] as const

/** The replacement of the database in `dir` that was begun and neither accepted nor finished backwards. */
export function readReplacement(dir: string): Replacement | undefined {
  const path = join(dir, REPLACEMENT_FILE)
  if (!existsSync(path)) return undefined
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Replacement
  } catch (cause) {
    throw new AppError(
      'internal',
      `Cannot read ${path}, which says how a restore has to be finished; restore a backup (svc restore BACKUP) after removing it`,
      { reason: 'folder_unusable', cause },
    )
  }
}

/**
 * Begins to replace the database in `dir`, which nobody has open and whose folder is locked, and moves the
 * files. From the first statement on, the next start of any process finishes the moves.
 */
export function replaceDatabase(dir: string, replacement: Omit<Replacement, 'direction'>): void {
  writeJournal(dir, { ...replacement, direction: 'forward' })
  if (feature('FAILPOINTS')) failpoint('restore.journaled')
  finishMoves(dir)
}

/** Keeps the new database; what is left of the replacement is removed. */
export function acceptReplacement(dir: string): void {
  const replacement = readReplacement(dir)
  if (replacement === undefined) return
  removeJournal(dir)
  if (feature('FAILPOINTS')) failpoint('restore.accepted')
  removeStaged(dir, replacement.staged)
}

/** Removes a new database that does not replace anything. */
export function removeStaged(dir: string, staged: string): void {
  rmSync(dirname(join(dir, staged)), { recursive: true, force: true })
}

/** Puts the old database into service again; nobody has the new one open. */
export function returnReplaced(dir: string): void {
  const replacement = readReplacement(dir)
  if (replacement === undefined) return
  writeJournal(dir, { ...replacement, direction: 'back' })
  finishMoves(dir)
}

/**
 * Makes the moves that the journal in `dir` still asks for; each of them is atomic and may be the last one
 * of this process. A way back ends the replacement; a way forward waits for `acceptReplacement`.
 */
export function finishMoves(dir: string): void {
  const replacement = readReplacement(dir)
  if (replacement?.direction === 'forward') moveForward(dir, replacement)
  if (replacement?.direction === 'back') moveBack(dir, replacement)
}

/** While the new file is staged, the present files are those of the old database. */
function moveForward(dir: string, { staged, kept }: Replacement): void {
  const [present, aside, fresh] = [join(dir, DATABASE_FILE), join(dir, kept), join(dir, staged)]
  if (!existsSync(fresh)) return
  moveFiles(present, aside)
  if (feature('FAILPOINTS')) failpoint('restore.kept')
  flush(dir)
  renameSync(fresh, present)
  flush(dir)
  if (feature('FAILPOINTS')) failpoint('restore.replaced')
}

/** While no file is staged, the present files are those of the new database. */
function moveBack(dir: string, { staged, kept }: Replacement): void {
  const [present, aside, fresh] = [join(dir, DATABASE_FILE), join(dir, kept), join(dir, staged)]
  // Without the file itself, a present log is that of the old database, already moved back.
  if (existsSync(present) && !existsSync(fresh)) moveFiles(present, fresh)
  if (feature('FAILPOINTS')) failpoint('restore.withdrawn')
  if (existsSync(aside)) moveFiles(aside, present)
  flush(dir)
  if (feature('FAILPOINTS')) failpoint('restore.returned')
  removeJournal(dir)
  rmSync(dirname(fresh), { recursive: true, force: true })
}

/** Moves a database with its log and mark; SQLite builds the index of the log again. */
function moveFiles(from: string, to: string): void {
  rmSync(`${from}-shm`, { force: true })
  for (const suffix of SUFFIXES) {
    if (existsSync(`${from}${suffix}`)) renameSync(`${from}${suffix}`, `${to}${suffix}`)
    if (feature('FAILPOINTS')) failpoint('restore.moved')
  }
}

function writeJournal(dir: string, replacement: Replacement): void {
  const path = join(dir, REPLACEMENT_FILE)
  writeFileSync(`${path}.partial`, `${JSON.stringify(replacement)}\n`, { mode: 0o600, flush: true })
  renameSync(`${path}.partial`, path)
  flush(dir)
}

function removeJournal(dir: string): void {
  rmSync(join(dir, REPLACEMENT_FILE), { force: true })
  flush(dir)
}
