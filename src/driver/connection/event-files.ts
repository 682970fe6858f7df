import { open, readFile, rm, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as v from 'valibot'
import type { Log } from '../../base/index.ts'
import { eventEnvelope } from '../../protocol/index.ts'
import { parseJson } from '../messages/command-head.ts'

/** File name of an event: generated ids stay readable, and no id can name a file outside the folder. */
export function fileOf(id: string): string {
  return `${encodeURIComponent(id).replaceAll('*', '%2A').replace(/^\./, '%2E')}.json`
}

/** Suffix of files that are set aside until their driver returns. */
export function suffixOf(driverId: string): string {
  return `.${encodeURIComponent(driverId)}`
}

/** The event in the file at `path` if it has that `name`; undefined if there is none, which is logged. */
export async function readEventFile(
  path: string,
  name: string,
  log: Log,
): Promise<{ id: string; body: string } | undefined> {
  const body = await readFile(path, 'utf8').catch(() => undefined)
  const value = body === undefined ? undefined : parseJson(body)
  const parsed = v.safeParse(eventEnvelope, value)
  if (body !== undefined && parsed.success && fileOf(parsed.output.id) === name)
    return { id: parsed.output.id, body }
  const file = basename(path)
  if (body !== undefined && value === undefined) {
    await unlink(path)
    log.warn('incomplete event file is dropped', { file })
  } else {
    log.warn('file in the outbox is not an event and is ignored', { file })
  }
  return undefined
}

/**
 * Writes a file and flushes it together with the folder, which the file system does in one operation.
 * `modified`: its time, if another than that of the file system.
 */
export async function writeFlushed(
  folder: string,
  name: string,
  text: string,
  modified?: Date,
): Promise<void> {
  const path = join(folder, name)
  const file = await open(path, 'w', 0o600)
  try {
    await file.writeFile(text)
    if (modified) await file.utimes(modified, modified)
    const names = await open(folder, 'r')
    try {
      await Promise.all([file.sync(), names.sync()])
    } finally {
      await names.close()
    }
  } catch (error) {
    // Half of a file would be taken for the event of a crash.
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}
