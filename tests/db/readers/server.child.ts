/** Starts a read without end and prints the number of the process that runs it. */
import { systemClock } from '../../../src/base/index.ts'
import { ReaderPool } from '../../../src/db/readers/reader-pool.ts'

const pool = new ReaderPool({ file: process.argv[2] ?? '' }, systemClock)
const sql = 'WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n'
const quick = { count: { sql: 'SELECT 1 AS n', params: {} } }
await pool.read(quick, { caller: 'ann', kind: 'user' })
void pool.read({ count: { sql, params: {} } }, { caller: 'ann', kind: 'superuser' })
console.log(pool.pids[0])
