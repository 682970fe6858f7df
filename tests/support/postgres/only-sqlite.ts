/** What a test examines that other databases do not have. */
type OfSqlite = 'its file' | 'its messages' | 'its plans' | 'its schema' | 'its statements'

/**
 * Whether a test is left out on another database, since it examines what only SQLite has:
 * `test.skipIf(onlySqlite('its file'))(…)`.
 */
export function onlySqlite(_what: OfSqlite): boolean {
  return process.env['SVC_TEST_STORE'] === 'postgres'
}
