/** Selects the session that holds an advisory lock of one key, which is an SQL expression. */
export const holderOf = (lock: string): string =>
  `SELECT pid, usename AS role, application_name AS application FROM pg_locks JOIN pg_stat_activity USING (pid)
   WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND datname = current_database()
     AND ((CAST(classid AS bigint) << 32) | CAST(objid AS bigint)) = CAST(${lock} AS bigint)`

/** `pid 4711, role lab, application psql`; a holder that has just left has no row. */
export function describeHolder(row: Readonly<Record<string, unknown>> | undefined): string {
  return row
    ? `pid ${row['pid']}, role ${row['role']}, application ${row['application']}`
    : 'which has just ended'
}
