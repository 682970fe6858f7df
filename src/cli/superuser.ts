import { AppError, systemClock } from '../base/index.ts'
import { type Database, readDatabase } from '../db/index.ts'
import { readSuperusers, removeSuperuser, saveSuperuser } from '../db/store/accounts/index.ts'
import { type Config, checkPassword, Passwords } from '../server/index.ts'
import { type Command, defineCommand, defineGroup } from './command-line/command.ts'
import { DATABASE_SETTINGS, openConfigured, placeOf } from './command-line/database.ts'
import { loadDataConfig } from './command-line/server-config.ts'
import { UsageError } from './command-line/usage-error.ts'

const EMAIL = { name: 'EMAIL', help: 'E-mail address' }
const PASSWORD = {
  name: 'PASSWORD',
  isOptional: true,
  help: 'Password; if unset, read from standard input, which keeps it out of the shell history',
}

/**
 * Opens the database for this process alone: a running server refuses it. Only a command that adds a
 * superuser creates the database if there is none.
 */
async function withDatabase(
  { config, create }: { config: Config; create: boolean },
  work: (db: Database) => Promise<void>,
): Promise<void> {
  const db = await openConfigured(config, { create })
  try {
    await work(db)
  } finally {
    await db.close()
  }
}

function readAddress(text: string): string {
  if (!/^[^@\s]+@[^@\s]+$/.test(text)) throw new UsageError(`"${text}" is not an e-mail address`)
  return text.toLowerCase()
}

async function readPassword(given: string | undefined): Promise<string> {
  const text = given ?? (await Bun.stdin.text()).split('\n')[0] ?? ''
  if (text === '') throw new UsageError('no password; give it as second argument or on standard input')
  checkPassword(text)
  return text
}

function saveCommand(mode: 'create' | 'update' | 'upsert', summary: string): Command {
  return defineCommand({
    summary,
    positionals: [EMAIL, PASSWORD],
    settings: DATABASE_SETTINGS,
    async run({ given, positionals: [address = '', password] }) {
      const email = readAddress(address)
      const passwordHash = await new Passwords().hash(await readPassword(password))
      await withDatabase({ config: loadDataConfig(given), create: mode !== 'update' }, async (db) => {
        await saveSuperuser(db, { email, passwordHash, mode, actor: 'cli' })
      })
      console.log(`Superuser ${email} saved`)
    },
  })
}

const removeCommand = defineCommand({
  summary: 'Delete a superuser; the last one cannot be deleted',
  positionals: [EMAIL],
  settings: DATABASE_SETTINGS,
  async run({ given, positionals: [address = ''] }) {
    const email = readAddress(address)
    await withDatabase({ config: loadDataConfig(given), create: false }, (db) =>
      removeSuperuser(db, { email, actor: 'cli' }),
    )
    console.log(`Superuser ${email} deleted`)
  },
})

const listCommand = defineCommand({
  summary: 'List superusers; works while the server runs',
  settings: DATABASE_SETTINGS,
  run({ given }) {
    const place = placeOf(loadDataConfig(given))
    try {
      return readDatabase(place, systemClock.now(), readSuperusers)
    } catch (error) {
      // Before the first start there are no superusers yet.
      if (!(error instanceof AppError) || error.reason !== 'no_database') throw error
      console.error(error.message)
      return []
    }
  },
  print(superusers) {
    for (const { email } of superusers) console.log(email)
  },
})

export const superuserCommand = defineGroup('Manage superusers; only list works while the server runs', {
  upsert: () => saveCommand('upsert', 'Create a superuser, or change the password of an existing one'),
  create: () => saveCommand('create', 'Create a superuser'),
  update: () => saveCommand('update', 'Change the password of a superuser'),
  delete: () => removeCommand,
  list: () => listCommand,
})
