import { kinds, switchFlag } from '../../base/index.ts'
import { diagnose, type LogLoss, repairWidened } from '../../db/index.ts'
import { appendAudit } from '../../db/journal/index.ts'
import { defineCommand } from '../command-line/command.ts'
import { DATABASE_SETTINGS, namePlace, openConfigured } from '../command-line/database.ts'
import { loadDataConfig } from '../command-line/server-config.ts'
import { failOn, printFindings } from './findings.ts'

export const doctorCommand = defineCommand({
  summary: 'Check the database of a stopped server: file, references, invariants',
  flags: {
    acceptLoss: switchFlag(
      kinds.bool(),
      'Accept that the last changes are lost, with the write-ahead log or on PostgreSQL, so that the server starts again',
    ),
    repair: switchFlag(
      kinds.bool(),
      'Repair bookings, notifications and limits that the removal of their QPU or user has widened to all',
    ),
  },
  settings: DATABASE_SETTINGS,
  async run({ flags: { acceptLoss, repair }, given }) {
    const config = loadDataConfig(given)
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
      const repaired = repair ? await db.write('repair', (tx) => repairWidened(tx, 'cli')) : []
      const findings = await db.read((tx) => diagnose(tx, { maxAttempts }))
      failOn(findings)
      return { ...namePlace(config), accepted_loss: loss ?? null, repaired, findings }
    } finally {
      await db.close()
    }
  },
  print({ accepted_loss: loss, repaired, findings, ...place }) {
    if (loss) {
      const range = loss.since === undefined ? '' : ` from ${loss.since} to ${loss.until}`
      const what = 'dir' in place ? 'log' : 'database'
      console.log(`Accepted: changes${range} may be lost, because the ${what} ${loss.detail}`)
    }
    for (const { collection, id } of repaired) console.log(`Repaired: ${collection} ${id}`)
    if (findings.length === 0)
      console.log(`${'dir' in place ? place.dir : place.database}: no problems found`)
    else printFindings(findings)
  },
})
