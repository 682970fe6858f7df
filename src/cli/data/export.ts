import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { defineCommand } from 'citty'
import { AppError, messageOf } from '../../base/index.ts'
import {
  type AnyCollection,
  COLLECTIONS,
  exportedKeys,
  exportedRecord,
  openSnapshot,
  type Snapshot,
  toCsv,
  toJsonLines,
} from '../../db/index.ts'
import { type Flags, readFlags, UsageError } from '../command-line/flags.ts'
import { loadConfig } from '../command-line/settings-flags.ts'

const args = {
  collection: {
    type: 'string',
    valueHint: 'name',
    description: 'Only this collection, such as users or quantum_jobs (default all)',
  },
  format: {
    type: 'string',
    valueHint: 'jsonl|csv',
    description: 'JSON lines, which svc import reads, or CSV of one collection (default jsonl)',
  },
  output: {
    type: 'string',
    alias: 'o',
    valueHint: 'file',
    description: 'File to write, readable by its owner only (default standard output)',
  },
  dir: {
    type: 'string',
    valueHint: 'path',
    description: 'Folder of the database (SVC_DIR, default svc_data)',
  },
} as const

export const exportCommand = defineCommand({
  meta: {
    name: 'export',
    description:
      'Write all records, with hashes of passwords and tokens, as of one moment; the server may run',
  },
  args,
  async run({ rawArgs }) {
    const flags = readFlags('svc export', rawArgs, args)
    const collections = collectionsOf(flags)
    const isCsv = isCsvWanted(flags, collections)
    const { dir } = loadConfig({ dir: flags['dir'] })
    const snapshot = openSnapshot(dir)
    try {
      const lines = isCsv ? csvOf(snapshot, collections) : toJsonLines(recordsOf(snapshot, collections))
      if (typeof flags['output'] === 'string') await writeFile(flags['output'], lines)
      else await writeOut(lines)
    } finally {
      snapshot.close()
    }
  },
})

function collectionsOf(flags: Flags): readonly AnyCollection[] {
  const name = flags['collection']
  if (name === undefined) return COLLECTIONS
  const found = COLLECTIONS.filter((each) => each.name === name || each.publicName === name)
  if (found.length > 0) return found
  const known = COLLECTIONS.map((each) => each.name).join(', ')
  throw new UsageError(`svc export: --collection "${name}" is none; expected one of ${known}`)
}

function isCsvWanted(flags: Flags, collections: readonly AnyCollection[]): boolean {
  const format = flags['format'] ?? 'jsonl'
  if (format === 'jsonl') return false
  if (format !== 'csv') throw new UsageError(`svc export: --format "${format}": expected jsonl or csv`)
  if (collections.length === 1) return true
  throw new UsageError('svc export: a CSV file has one kind of record; name it with --collection')
}

function* recordsOf(snapshot: Snapshot, collections: readonly AnyCollection[]) {
  for (const collection of collections) {
    for (const record of snapshot.records(collection)) yield exportedRecord(collection, record)
  }
}

function csvOf(snapshot: Snapshot, collections: readonly AnyCollection[]) {
  return toCsv(collections.flatMap(exportedKeys), recordsOf(snapshot, collections))
}

type Lines = AsyncIterable<string>

/** A file of this name is whole or not there. */
async function writeFile(path: string, lines: Lines): Promise<void> {
  const partial = `${path}.partial`
  try {
    rmSync(partial, { force: true })
    const file = openSync(partial, 'wx', 0o600)
    try {
      for await (const text of batches(lines)) writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error instanceof AppError ? error : new Error(`Cannot write ${path}: ${messageOf(error)}`)
  }
}

/** Ends quietly when the reader of the pipe has had enough. */
async function writeOut(lines: Lines): Promise<void> {
  let isBroken = false
  process.stdout.on('error', () => {
    isBroken = true
  })
  for await (const text of batches(lines)) {
    if (isBroken) return
    await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()))
  }
}

const BATCH_CHARACTERS = 256 * 1024

async function* batches(lines: Lines): AsyncGenerator<string, void, undefined> {
  let batch: string[] = []
  let length = 0
  for await (const line of lines) {
    batch.push(line)
    length += line.length
    if (length < BATCH_CHARACTERS) continue
    yield batch.join('')
    batch = []
    length = 0
  }
  if (length > 0) yield batch.join('')
}
