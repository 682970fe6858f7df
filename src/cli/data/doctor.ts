import { kinds, switchFlag } from '../../base/index.ts'
import { diagnose, type LogLoss } from '../../db/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { DATABASE_SETTINGS, namePlace, openConfigured } from '../command-line/database.ts'
import { loadConfig } from '../command-line/server-config.ts'
import { failOn, printFindings } from './findings.ts'

export const doctorCommand = defineCommand({
  summary: 'Check the database of a stopped server: file, references, invariants',
  flags: {
    acceptLoss: switchFlag(
      kinds.bool(),
      'Accept that the last changes are lost, with the write-ahead log or on PostgreSQL, so that the server starts again',
    ),
  },
  settings: DATABASE_SETTINGS,
  async run({ flags: { acceptLoss }, given }) {
    const config = loadConfig(given)
    const { maxAttempts } = config
    const losses: LogLoss[] = []
    const db = await openConfigured(config, {
      create: false,
      ...(acceptLoss ? { onLoss: (loss: LogLoss) => losses.push(loss) } : {}),
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
      return { ...namePlace(config), accepted_loss: loss ?? null, findings }
    } finally {
      await db.close()
    }
  },
  print({ accepted_loss: loss, findings, ...place }) {
    if (loss) {
      const range = loss.since === undefined ? '' : ` from ${loss.since} to ${loss.until}`
      const what = 'dir' in place ? 'log' : 'database'
      console.log(`Accepted: changes${range} may be lost, because the ${what} ${loss.detail}`)
    }
    if (findings.length === 0)
      console.log(`${'dir' in place ? place.dir : place.database}: no problems found`)
    else printFindings(findings)
  },
})
