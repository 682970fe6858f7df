import { defineCommand } from 'citty'
import { silentLog, systemClock } from '../../base/index.ts'
import { diagnose, openDatabase } from '../../db/index.ts'
import { readFlags } from '../command-line/flags.ts'
import { loadConfig } from '../command-line/settings-flags.ts'

const args = {
  dir: {
    type: 'string',
    valueHint: 'path',
    description: 'Folder of the database (SVC_DIR, default svc_data)',
  },
} as const

export const doctorCommand = defineCommand({
  meta: { name: 'doctor', description: 'Check the database of a stopped server: file, references, promises' },
  args,
  async run({ rawArgs }) {
    const flags = readFlags('svc doctor', rawArgs, args)
    const { dir, maxAttempts } = loadConfig(flags)
    const db = await openDatabase({ dir, clock: systemClock, log: silentLog, create: false })
    const findings = await db.read((tx) => diagnose(tx, { maxAttempts })).finally(() => db.close())
    if (findings.length === 0) {
      console.log(`${dir}: no problems found`)
      return
    }
    for (const { id, text, rows } of findings) console.log(`${id}: ${text} (${rows.length} rows)`)
    process.exitCode = 1
  },
})
