import { quantumJobs } from '../collections/quantum_jobs.ts'
import type { Dialect } from '../engine/dialect.ts'
import { quoted } from '../engine/sql.ts'
import type { Trigger } from '../engine/table.ts'
import { largeFieldsOf, largeTableOf } from '../schema/large-values.ts'
import { lengthOf, ownBytesSql } from '../schema/stored-bytes.ts'
import { writeSumsSql } from './write.ts'

/**
 * Triggers that keep the bytes of each user in `users.job_bytes`, so that no statement that changes a job can
 * miss it, and that add the charge of a job to the sums before its row is removed.
 */
export function countingTriggers(dialect: Dialect): readonly Trigger[] {
  const [table, large] = [quantumJobs.name, largeTableOf(quantumJobs)]
  const all = (row: string) =>
    `${ownBytesSql(quantumJobs, row)} + (SELECT coalesce(sum(octet_length("body")), 0) FROM ${quoted(large)}
       WHERE "record" = ${row}."id")`
  const add = (user: string, bytes: string) =>
    `UPDATE users SET job_bytes = job_bytes + (${bytes}) WHERE id = ${user}`
  const trigger = (
    name: string,
    [event, table, when]: [string, string, string?],
    body: readonly string[],
  ): Trigger => ({ name: `count_${name}`, event, table, ...(when && { when }), body })
  const owner = (row: string) => `(SELECT user_id FROM quantum_jobs job WHERE job.id = ${row}."record")`
  return [
    trigger('insert', ['AFTER INSERT', table], [add('NEW.user_id', ownBytesSql(quantumJobs, 'NEW'))]),
    ...largeFieldsOf(quantumJobs).map((field) =>
      trigger(
        field,
        [`AFTER UPDATE OF ${quoted(field)}`, table, 'OLD.user_id = NEW.user_id'],
        [add('NEW.user_id', `${lengthOf('NEW', field)} - ${lengthOf('OLD', field)}`)],
      ),
    ),
    // Before, because SQLite removes the large values with their record.
    trigger(
      'delete',
      ['BEFORE DELETE', table],
      [...writeSumsSql(dialect), add('OLD.user_id', `0 - (${all('OLD')})`)],
    ),
    trigger(
      'owner',
      ['AFTER UPDATE OF user_id', table, 'OLD.user_id <> NEW.user_id'],
      [add('OLD.user_id', `0 - (${all('OLD')})`), add('NEW.user_id', all('NEW'))],
    ),
    // An import may have the jobs of a user before the user.
    trigger(
      'user',
      ['AFTER INSERT', 'users'],
      [
        `UPDATE users SET job_bytes = owned.bytes FROM
           (SELECT sum(${all('job')}) AS bytes FROM quantum_jobs job WHERE job.user_id = NEW.id) owned
         WHERE users.id = NEW.id AND owned.bytes > 0`,
      ],
    ),
    trigger('large_insert', ['AFTER INSERT', large], [add(owner('NEW'), 'octet_length(NEW."body")')]),
    // Reads the length from the table: OLD would read all of the value.
    trigger(
      'large_delete',
      ['BEFORE DELETE', large],
      [
        add(
          owner('OLD'),
          `0 - (SELECT octet_length("body") FROM ${quoted(large)} WHERE "record" = OLD."record" AND "field" = OLD."field")`,
        ),
      ],
    ),
    trigger(
      'large_update',
      ['AFTER UPDATE OF "body"', large],
      [add(owner('NEW'), 'octet_length(NEW."body") - octet_length(OLD."body")')],
    ),
  ]
}
