import { closeSync, fstatSync, fsyncSync, openSync } from 'node:fs'
import { type Clock, MIB, openCLibrary, TimeSlice } from '../../base/index.ts'

/** Bytes that are written to the disk at a time. */
const PIECE = 2 * MIB
/** Flags of sync_file_range(2): start, and wait until what was and is being written is on the disk. */
const WRITE_AND_WAIT = 7

/**
 * Flushes a large new file while a server commits to the same disk: a single flush of half a gigabyte lets
 * each commit wait for a second. On Linux the file is written in pieces, and the disk is left to others for
 * as long as each piece has taken; elsewhere it is flushed in one piece.
 */
export async function flushInPieces(path: string, clock: Clock): Promise<void> {
  // The kernel reports a failed write once per open file: of those below, the last flush is to see it.
  const handle = openSync(path, 'r')
  try {
    if (process.platform === 'linux') await writePieces(path, fstatSync(handle).size, clock)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

async function writePieces(path: string, size: number, clock: Clock): Promise<void> {
  const write = rangeWriter()
  if (!write) return
  const handle = openSync(path, 'r')
  try {
    const piece = new TimeSlice(clock, 0)
    for (let from = 0; from < size; from += PIECE) {
      if (write(handle, from, PIECE, WRITE_AND_WAIT) !== 0) return
      await piece.next(1)
    }
  } finally {
    closeSync(handle)
  }
}

/** sync_file_range(2); undefined where the C library lacks it. */
function rangeWriter() {
  const args = ['int', 'i64', 'i64', 'u32'] as const
  try {
    return openCLibrary({ sync_file_range: { args, returns: 'int' } }).sync_file_range
  } catch {
    return undefined
  }
}
