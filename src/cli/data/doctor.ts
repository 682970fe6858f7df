import { kinds, silentLog, switchFlag, systemClock } from '../../base/index.ts'
import { diagnose, type LogLoss, openDatabase } from '../../db/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { DIR_SETTINGS, loadConfig } from '../command-line/server-config.ts'
import { failOn, printFindings } from './findings.ts'

export const doctorCommand = defineCommand({
  summary: 'Check the database of a stopped server: file, references, invariants',
  flags: {
    acceptLoss: switchFlag(
      kinds.bool(),
      'Accept that the last changes are lost with the write-ahead log, so that the server starts again',
    ),
  },
  settings: DIR_SETTINGS,
  async run({ flags: { acceptLoss }, given }) {
    const { dir, maxAttempts } = loadConfig(given)
    const losses: LogLoss[] = []
    const db = await openDatabase({
      dir,
      clock: systemClock,
      log: silentLog,
      create: false,
      ...(acceptLoss ? { onLogLoss: (loss: LogLoss) => losses.push(loss) } : {}),
    })
    try {
      const [loss] = losses
      if (loss) {
        await db.write('audit loss', (tx) =>
          appendAudit(tx, { actor: 'cli', action: 'loss.accept', subject: '', detail: { ...loss } }),
        )
      }
      const findings = await db.read((tx) => diagnose(tx, { maxAttempts }))
      failOn(findings)
      return { dir, accepted_loss: loss ?? null, findings }
    } finally {
      await db.close()
    }
  },
  print({ dir, accepted_loss: loss, findings }) {
    if (loss) {
      const range = loss.since === undefined ? '' : ` from ${loss.since} to ${loss.until}`
      console.log(`Accepted: changes${range} may be lost, because the log ${loss.detail}`)
    }
    if (findings.length === 0) console.log(`${dir}: no problems found`)
    else printFindings(findings)
  },
})
