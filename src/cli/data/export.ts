import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import {
  AppError,
  expected,
  flag,
  KIB,
  kinds,
  switchFlag,
  type ValueKind,
  whyUnwritable,
} from '../../base/index.ts'
import { type AnyCollection, COLLECTIONS } from '../../db/index.ts'
import {
  exportedKeys,
  exportedRecord,
  openSnapshot,
  type Snapshot,
  toCsv,
  toJsonLines,
  wholeDatabase,
} from '../../db/transfer/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { DATABASE_SETTINGS, placeOf } from '../command-line/database.ts'
import { writeOut } from '../command-line/output.ts'
import { loadDataConfig } from '../command-line/server-config.ts'
import { UsageError } from '../command-line/usage-error.ts'

export const exportCommand = defineCommand({
  summary:
    'Write all records, including password and token hashes, consistently; works while the server runs',
  flags: {
    collection: flag(collectionKind(), 'Only this collection, such as users or quantum_jobs'),
    whole: switchFlag(
      kinds.bool(),
      'Every table as it is, for a move to a new database; anyone with the file can sign logins',
    ),
    format: flag(
      kinds.choice(['jsonl', 'csv']),
      'JSON lines, which svc import reads, or CSV of one collection',
      { default: 'jsonl' },
    ),
    output: flag(kinds.text('file'), 'File to write, readable by its owner only; if unset, standard output', {
      short: 'o',
    }),
  },
  settings: DATABASE_SETTINGS,
  async run({ flags: { collection, whole, format, output }, given }) {
    const place = placeOf(loadDataConfig(given, { creates: output === undefined ? [] : [output] }))
    if (whole) {
      if (collection !== undefined || format === 'csv' || output === undefined) {
        throw new UsageError('--whole needs --output, and no --collection; it is written as JSON lines')
      }
      return writeFile(output, toJsonLines(wholeDatabase(place)))
    }
    const collections = collection ? [collection] : COLLECTIONS
    const isCsv = format === 'csv'
    if (isCsv && !collection) {
      throw new UsageError('a CSV file holds one kind of record; name it with --collection')
    }
    const snapshot = openSnapshot(place)
    try {
      const lines = isCsv ? csvOf(snapshot, collections) : toJsonLines(recordsOf(snapshot, collections))
      if (output !== undefined) await writeFile(output, lines)
      else await writeLines(lines)
    } finally {
      snapshot.close()
    }
  },
})

function collectionKind(): ValueKind<AnyCollection> {
  return {
    hint: 'name',
    parse(name) {
      const found = COLLECTIONS.find((each) => each.name === name || each.publicName === name)
      if (!found) throw expected(`one of ${COLLECTIONS.map((each) => each.name).join(', ')}`)
      return found
    },
    format: ({ name }) => name,
  }
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

/** Writes the file completely or not at all. */
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
    throw error instanceof AppError ? error : new Error(`Cannot write ${path}: ${whyUnwritable(path, error)}`)
  }
}

/** Until nobody reads them any more. */
async function writeLines(lines: Lines): Promise<void> {
  for await (const text of batches(lines)) if (!writeOut(text)) return
}

const BATCH_CHARACTERS = 256 * KIB

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
