import { flag, kinds, systemClock, toTimestamp } from '../../base/index.ts'
import { readDatabase } from '../../db/index.ts'
import { type ListedAudit, listAudit, readAuditChain } from '../../db/journal/index.ts'
import { defineCommand, defineGroup } from '../command-line/command.ts'
import { DATABASE_SETTINGS, namePlace, placeOf } from '../command-line/database.ts'
import { loadDataConfig } from '../command-line/server-config.ts'
import { momentOrAge } from '../command-line/time-kinds.ts'

const { integer, text } = kinds

const listCommand = defineCommand({
  summary: 'Print actions of operators, logins and their failures, oldest first',
  flags: {
    act: flag(text('name'), 'Only this action, or all actions below it: job, job.hold, login'),
    by: flag(
      text('actor'),
      'Only actions of this actor: superuser:ID, user:ID, an e-mail address, cli, guest',
    ),
    subject: flag(text('id'), 'Only actions on this record'),
    address: flag(text('address'), 'Only actions from this remote address'),
    since: flag(momentOrAge(), 'Only actions since this time: 2026-01-31, or an age such as 24h'),
    limit: flag(integer({ min: 1 }), 'Maximum number of entries; the newest are printed', { default: '100' }),
  },
  settings: DATABASE_SETTINGS,
  run({ flags: { act, by, subject, address, since, limit }, given }) {
    const filter = {
      act,
      actor: by,
      subject,
      address,
      since: since === undefined ? undefined : toTimestamp(since),
      limit,
    }
    return readDatabase(placeOf(loadDataConfig(given)), systemClock.now(), (tx) => listAudit(tx, filter))
  },
  print(entries) {
    for (const entry of entries) console.log(lineOf(entry))
  },
})

const hash = text('hash', { pattern: /^[0-9a-f]{64}$/, expected: '64 hexadecimal digits' })

const verifyCommand = defineCommand({
  summary: 'Check that no entry was changed or removed',
  flags: {
    head: flag(hash, 'A head printed earlier; the check fails when its entry is missing'),
  },
  settings: DATABASE_SETTINGS,
  run({ flags: { head = '' }, given }) {
    const config = loadDataConfig(given)
    const chain = readDatabase(placeOf(config), systemClock.now(), (tx) => readAuditChain(tx, head))
    const isIntact = chain.broken === undefined && chain.hasExpected
    if (!isIntact) process.exitCode = 1
    return {
      ...namePlace(config),
      intact: isIntact,
      entries: chain.entries,
      erased: chain.erased,
      head: chain.head,
      first_broken_entry: chain.broken ?? null,
      has_expected_head: chain.hasExpected,
    }
  },
  print({ entries, erased, head, first_broken_entry, has_expected_head, ...place }, { flags }) {
    const where = 'dir' in place ? place.dir : place.database
    if (first_broken_entry !== null) {
      console.log(
        `${where}: entry ${first_broken_entry} of the audit log, or one before it, was changed or removed`,
      )
    } else if (!has_expected_head) {
      console.log(`${where}: the audit log is intact but was cut off: no entry has the hash ${flags.head}`)
    } else {
      const note = erased === 0 ? '' : ` (personal details of ${erased} erased with their accounts)`
      console.log(`${where}: ${entries} entries, none changed or removed${note}; head ${head || 'none'}`)
    }
  },
})

export const auditCommand = defineGroup(
  'Read and check the audit log of operator actions; works while the server runs',
  {
    list: () => listCommand,
    verify: () => verifyCommand,
  },
)

/** An entry on one line; control characters in a detail stay escaped as in JSON. */
function lineOf({ at, actor, email, act, subject, detail }: ListedAudit): string {
  const by = email === '' ? actor : `${actor} (${email})`
  const text = JSON.stringify(detail)
  return `${at}  ${by}  ${act}  ${subject}${text === '{}' ? '' : `  ${text}`}`
}
