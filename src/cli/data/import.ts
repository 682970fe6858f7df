import { defineCommand } from 'citty'
import { silentLog, systemClock } from '../../base/index.ts'
import { importRecords, openDatabase } from '../../db/index.ts'
import { publicNames, readSubmission } from '../../server/index.ts'
import { positional, readFlags } from '../command-line/flags.ts'
import { loadConfig } from '../command-line/settings-flags.ts'

const args = {
  file: {
    type: 'positional',
    description: 'JSON lines, {"collection": "users", "email": ...} each; as svc export writes them',
  },
  dir: {
    type: 'string',
    valueHint: 'path',
    description: 'Folder of the database, made when missing (SVC_DIR, default svc_data)',
  },
} as const

export const importCommand = defineCommand({
  meta: { name: 'import', description: 'Add the records of a file while the server is stopped: all or none' },
  args,
  async run({ rawArgs }) {
    const flags = readFlags('svc import', rawArgs, args)
    const path = positional('svc import', flags, 0, 'FILE')
    const config = loadConfig({ dir: flags['dir'] })
    const db = await openDatabase({
      dir: config.dir,
      clock: systemClock,
      log: silentLog,
      names: publicNames(config),
    })
    const { isTTY } = process.stderr
    const { counts, errors } = await importRecords(db, {
      path,
      readPayload: (payload) => readSubmission(payload).payload,
      onProgress: (line) => void (isTTY && process.stderr.write(`\r${line} lines`)),
    }).finally(() => db.close())
    if (isTTY) process.stderr.write('\r\u001b[K')
    for (const { line, text } of errors) console.error(`${path}:${line}: ${text}`)
    if (errors.length > 0) {
      console.error(
        'Nothing was imported; correct what is named above (at most 100 problems are) and try again',
      )
      process.exitCode = 1
      return
    }
    const imported = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
    console.log(imported.length > 0 ? `Imported ${imported.join(', ')}` : `${path} has no records`)
  },
})
