import { closeSync, openSync } from 'node:fs'
import { AppError, reasonOf, silentLog, systemClock, whatFile } from '../../base/index.ts'
import { importRecords, importWhole, isWholeDatabase } from '../../db/transfer/index.ts'
import { publicNames, readStoredPayload } from '../../server/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { DATABASE_SETTINGS, openConfigured, placeOf } from '../command-line/database.ts'
import { loadDataConfig } from '../command-line/server-config.ts'

function assertReadable(path: string): void {
  try {
    closeSync(openSync(path, 'r'))
  } catch (error) {
    throw new AppError('not_found', `Cannot read ${path}: ${reasonOf(error)}`)
  }
  const what = whatFile(path)
  if (!['JSON', 'empty', 'a device or socket'].includes(what))
    throw new AppError('invalid', `${path} is ${what}; name a file of JSON lines`)
}

export const importCommand = defineCommand({
  summary:
    'Add the records of a file to the database of a stopped server, or fill a new one with a whole export: all or nothing',
  positionals: [
    {
      name: 'FILE',
      help: 'JSON lines such as {"collection": "users", "email": ...}, as written by svc export',
    },
  ],
  settings: DATABASE_SETTINGS,
  async run({ given, positionals: [path = ''] }) {
    const config = loadDataConfig(given, { reads: [path] })
    // Before the database is opened, which would create one.
    assertReadable(path)
    if (isWholeDatabase(path)) {
      const options = { path, place: placeOf(config), clock: systemClock, log: silentLog }
      return { file: path, imported: await importWhole(options), errors: [] }
    }
    const db = await openConfigured(config, { names: publicNames(config) })
    const { isTTY } = process.stderr
    const { counts, errors } = await importRecords(db, {
      path,
      readPayload: readStoredPayload,
      onProgress: (line) => void (isTTY && process.stderr.write(`\r${line} lines`)),
    }).finally(() => db.close())
    if (isTTY) process.stderr.write('\r\u001b[K')
    if (errors.length > 0) process.exitCode = 1
    return { file: path, imported: counts, errors }
  },
  print({ file, imported, errors }) {
    for (const { line, text } of errors) console.error(`${file}:${line}: ${text}`)
    if (errors.length > 0) {
      console.error('Nothing was imported; correct the errors above (at most 100 are shown) and try again')
      return
    }
    const counts = Object.entries(imported).map(([name, count]) => `${count} ${name}`)
    console.log(counts.length > 0 ? `Imported ${counts.join(', ')}` : `${file} has no records`)
  },
})
