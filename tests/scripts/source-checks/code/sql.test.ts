import { expect, test } from 'bun:test'
import { checkSql } from '../../../../scripts/source-checks/code/sql.ts'
import { codeOf } from '../../../../scripts/source-text.ts'
import { COLLECTIONS } from '../../../../src/db/index.ts'
import { INTERNAL_TABLES } from '../../../../src/db/schema/internal/index.ts'
import { tablesOf } from '../../../../src/db/schema/tables.ts'
import { SQLITE } from '../../../../src/db/sqlite/sql/dialect.ts'

const TABLES = [...INTERNAL_TABLES, ...COLLECTIONS.flatMap(tablesOf)]

/** Code in a template, which the statements below show as §. */
const CODE = `\${x}`

function rulesOf(sql: string, file = 'src/db/store/x.ts'): string[] {
  const source = `// SELECT user\nexport const sql = \`${sql.replaceAll('§', CODE)}\`\n`
  return checkSql({ file, source, code: codeOf(source), comments: '' }).map(
    ({ rule, line }) => `${line} ${rule.slice(4).replace(/:.*/, '')}`,
  )
}

test.each([
  ['keyword as a name', 'SELECT user FROM x', 'SELECT "user", x.user, $user, user_id FROM x'],
  ['keyword as a name', 'SELECT a FROM x WHERE end > 1', 'SELECT CASE a WHEN 1 THEN 2 END FROM x'],
  ['keyword as a name', 'INSERT INTO x (id, user) VALUES (1, 2)', 'INSERT INTO x (id, "user") VALUES (1, 2)'],
  ['name in camelCase', 'SELECT a AS someName FROM x', 'SELECT a AS "someName" FROM x WHERE a = $someName'],
  ['LIKE', "SELECT a FROM x WHERE a LIKE 'b%'", "SELECT a FROM x WHERE a = 'LIKE'"],
  ['CAST to a number', 'SELECT CAST(a AS REAL) FROM x', 'SELECT CAST(a AS TEXT) FROM x'],
  ['CAST to a number', 'SELECT CAST(§ AS INTEGER) FROM x', 'SELECT § FROM x'],
  ['round()', 'SELECT round(a) FROM x', 'SELECT abs(a), around FROM x'],
  ['function of one database', 'SELECT unixepoch(at) FROM x', 'SELECT §, x.total FROM x'],
  ['function of one database', 'strftime(§, §)', 'the function strftime'],
  ['function of one database', 'SELECT ifnull(a, 1) FROM x', 'SELECT coalesce(a, 1) FROM x'],
  ['scalar max() or min()', 'SELECT max(a, 1) FROM x', 'SELECT max(a), min(coalesce(a, 1)) FROM x'],
  [
    'scalar max() or min()',
    'SELECT max(coalesce((SELECT max(b) FROM y), 0), 1) FROM x',
    'SELECT max(a) FROM x',
  ],
  [
    'IS with a value',
    'SELECT a FROM x WHERE a IS NOT $b',
    'SELECT a FROM x WHERE a IS NOT NULL OR a IS NULL',
  ],
  ['IS with a value', 'SELECT a FROM x WHERE a IS 1', 'SELECT a FROM x WHERE a IS NOT DISTINCT FROM 1'],
  ['IS with a value', '§ IS NOT §', '§ IS DISTINCT FROM §'],
  [
    'ON CONFLICT DO UPDATE without columns',
    'INSERT INTO x (a) VALUES (1) ON CONFLICT DO UPDATE SET a = 1',
    'INSERT INTO x (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET a = 1',
  ],
  [
    'bare column in DO UPDATE',
    'INSERT INTO x (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = $b, n = n + excluded.n',
    'INSERT INTO x (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = $b, n = x.n + excluded.n',
  ],
  [
    'bare column in the condition of DO UPDATE',
    'INSERT INTO x (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = $b WHERE b <> $b',
    'INSERT INTO x (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = $b WHERE x.b <> $b AND excluded.b > 1',
  ],
  [
    'condition as a number',
    'SELECT coalesce(x.a = 1 OR x.b > 0, 0) AS c FROM x',
    'SELECT coalesce(x.a, 0) = 1, coalesce(sum(b), 0) FROM x',
  ],
  [
    'alias in HAVING',
    'SELECT a, count(*) AS n FROM x GROUP BY a HAVING n > 1 ORDER BY n',
    'SELECT a, count(*) AS n FROM x GROUP BY a HAVING sum(n) > 1 AND x.a > $n ORDER BY n',
  ],
  ['JOIN without ON', 'SELECT a FROM x JOIN y z WHERE a = 1', 'SELECT a FROM x JOIN y USING (a) WHERE a = 1'],
  ['JOIN without ON', 'SELECT a FROM x JOIN § z JOIN q ON b = c', 'SELECT a FROM x CROSS JOIN y WHERE a = 1'],
  ['CROSS JOIN with ON', 'SELECT a FROM x CROSS JOIN y z ON b = c', 'SELECT a FROM x CROSS JOIN y z'],
  [
    'derived table without a name',
    'SELECT a FROM (SELECT b FROM x) WHERE a = 1',
    'SELECT a FROM (SELECT b FROM x) y WHERE a = 1',
  ],
  [
    'derived table without a name',
    'SELECT a FROM (SELECT b FROM §)',
    'SELECT a FROM x WHERE b IN (SELECT b FROM x)',
  ],
  ['LIMIT -1', 'SELECT a FROM x LIMIT -1', 'SELECT a FROM x LIMIT 1'],
  ['INSERT OR', 'INSERT OR IGNORE INTO x VALUES (1)', 'INSERT INTO x VALUES (1) ON CONFLICT DO NOTHING'],
  ['unary plus', 'SELECT a FROM x WHERE +a = 1', 'SELECT a FROM x WHERE b + a = 1'],
  ['PRAGMA or catalog of SQLite', 'SELECT name FROM sqlite_master', 'SELECT name FROM x'],
])('%s: %s', (what, banned, allowed) => {
  expect(rulesOf(banned)).toEqual([`2 ${what}`])
  expect(rulesOf(allowed)).toEqual([])
})

test('an engine, the dialect and migrations write SQL for one database', () => {
  for (const file of ['src/db/sqlite/x.ts', 'src/db/engine/dialect.ts', 'src/db/schema/migrations/0001-x.ts'])
    expect(rulesOf('SELECT round(user) FROM sqlite_master', file)).toEqual([])
})

test('no name of an index or trigger is longer than PostgreSQL keeps', () => {
  const names = TABLES.flatMap(({ indexes, triggers }) =>
    [...indexes, ...(triggers?.(SQLITE) ?? [])].map(({ name }) => name),
  )
  expect(names.filter((name) => name.length > 60)).toEqual([])
  expect(new Set(names).size).toBe(names.length)
})

test('no statement sorts by a column that may be NULL, which databases put at different ends', async () => {
  const nullable = TABLES.flatMap(({ columns }) =>
    columns.filter(({ sql }) => !/NOT NULL|PRIMARY KEY/.test(sql)).map(({ name }) => name),
  )
  const root = new URL('../../../../', import.meta.url).pathname
  const sorted = await Promise.all(
    [...new Bun.Glob('src/db/**/*.ts').scanSync(root)].map(async (file) => {
      const text = await Bun.file(root + file).text()
      return [...text.matchAll(/\bORDER BY ([^`)]*)/g)].flatMap(([, keys = '']) => keys.match(/\w+/g) ?? [])
    }),
  )
  const names = new Set(sorted.flat())
  expect(names.has('seq')).toBe(true)
  expect(nullable.filter((name) => names.has(name))).toEqual([])
})
