/** When the attempt that completed a job began, for the alias of its row; UTC text. */
export function startSql(job: string): string {
  return `CASE WHEN ${job}.started_at <> '' THEN ${job}.started_at WHEN ${job}.claimed_at <> '' THEN ${job}.claimed_at
    ELSE ${job}.finished_at END`
}

/**
 * The condition that the result of a job touches a recall of its QPU, for the aliases of their rows: it ran
 * with the report, or in the interval, of which both ends belong to it.
 */
export function touchSql(job: string, recall: string): string {
  return `${job}.status = 'completed' AND ${recall}.qpu = ${job}.qpu AND
    CASE ${recall}.report WHEN '' THEN ${job}.finished_at >= ${recall}.from_at AND ${startSql(job)} <= ${recall}.to_at
    ELSE EXISTS (SELECT 1 FROM job_provenance known
      WHERE known.id = ${job}.provenance AND ${recall}.report IN (known.report, known.report_after)) END`
}
