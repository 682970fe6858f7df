// Started by migrate.test.ts, which kills it: opens a database with a migration that takes minutes.
import { silentLog } from '../../../src/base/index.ts'
import { openDatabase } from '../../../src/db/index.ts'
import { defineCollection } from '../../../src/db/schema/collection.ts'
import { integer, text } from '../../../src/db/schema/fields/index.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const [dir = '', statements = '[]'] = process.argv.slice(2)
const rules = { list: null, view: null, create: null, update: null, remove: null }
const boxes = defineCollection({ name: 'boxes', fields: { label: text(), size: integer() }, rules })
await openDatabase(
  { dir, clock: new FakeClock(), log: silentLog },
  { collections: [boxes], migrations: [{ id: 1, name: 'slow', statements: JSON.parse(statements) }] },
)
