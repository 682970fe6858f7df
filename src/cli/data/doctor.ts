import { silentLog, systemClock } from '../../base/index.ts'
import { diagnose, openDatabase } from '../../db/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { DIR_SETTING, loadConfig } from '../command-line/server-config.ts'
import { failOn, printFindings } from './findings.ts'

export const doctorCommand = defineCommand({
  summary: 'Check the database of a stopped server: file, references, invariants',
  settings: DIR_SETTING,
  async run({ given }) {
    const { dir, maxAttempts } = loadConfig(given)
    const db = await openDatabase({ dir, clock: systemClock, log: silentLog, create: false })
    const findings = await db.read((tx) => diagnose(tx, { maxAttempts })).finally(() => db.close())
    failOn(findings)
    return { dir, findings }
  },
  print({ dir, findings }) {
    if (findings.length === 0) console.log(`${dir}: no problems found`)
    else printFindings(findings)
  },
})
