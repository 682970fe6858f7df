import { FENCE } from '../sql/fence.ts'
import { holderOf } from '../sql/lock-holder.ts'

/**
 * SQL of the lease. Its row belongs to the server that leads: `epoch` counts the leaders, and is part of an
 * index, so that a renewal, which changes another column, does not wait for the transactions that lock the
 * key.
 */
const TABLE = `CREATE TABLE IF NOT EXISTS leader (id bigint PRIMARY KEY, epoch bigint NOT NULL UNIQUE,
  address text NOT NULL, root_ca text NOT NULL, until timestamptz NOT NULL)`

/**
 * What servers note of the database: which one it is, and how often its lease was renewed. To alter the table
 * waits for transactions of a leader, so that it is not tried in vain.
 */
const NOTED_COLUMNS = `DO $svc$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = 'leader'::regclass AND attname = 'renewals') THEN
    ALTER TABLE leader ADD COLUMN renewals bigint NOT NULL DEFAULT 0,
      ADD COLUMN database text NOT NULL DEFAULT gen_random_uuid();
  END IF;
END $svc$`

const FIRST_ROW = `INSERT INTO leader (id, epoch, address, root_ca, until) VALUES (1, 0, '', '', '-infinity')
  ON CONFLICT (id) DO NOTHING`

/** What the lease needs in the database. */
export const PREPARATION: readonly string[] = [TABLE, NOTED_COLUMNS, FIRST_ROW, FENCE]

const PREPARATION_KEY = "hashtext('svc preparation')"

/** One process at a time prepares; two that replace a function at the same time fail. */
export const LOCK_PREPARATION = `SELECT pg_advisory_xact_lock(${PREPARATION_KEY})`

/** Who prepares, or keeps the others from it. */
export const PREPARATION_HOLDER = holderOf(PREPARATION_KEY)

/** How the sessions of a leader are called that end with it. */
export const sessionName = (epoch: number): string => `svc leader ${epoch}`

/** How its other sessions are called, which only read: those of its readers may outlive it. */
export const readsName = (epoch: number): string => `svc reads ${epoch}`

const STANDBY_NAME = 'svc standby '

/** How the session of a server on standby is called. PostgreSQL cuts it to 63 bytes. */
export const standbyName = (address: string): string => STANDBY_NAME + address

/** The addresses of the servers on standby. */
export const STANDBYS = `SELECT DISTINCT substr(application_name, ${STANDBY_NAME.length + 1}) AS address
  FROM pg_stat_activity WHERE datname = current_database() AND starts_with(application_name, '${STANDBY_NAME}')
  ORDER BY address LIMIT 100`

/** Gives this session the name `$1`. */
export const NAME_SESSION = "SELECT set_config('application_name', $1, false)"

/** The state of the lease; a lease lasts 3 s. */
export const STATE = `database, renewals, to_char(CASE WHEN until < clock_timestamp() THEN until ELSE clock_timestamp() END
    - interval '3 seconds', 'YYYY-MM-DD HH24:MI:SS.MS"Z"') AS "renewedAt"`

/**
 * The leader; `isFree` when its time is over, or when it has no session any more. None on a replica, which
 * may be behind.
 */
export const LOOK = `SELECT epoch, address, root_ca AS "rootCa", until < clock_timestamp() OR NOT EXISTS (
    SELECT 1 FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'svc leader ' || epoch
  ) AS "isFree", ${STATE} FROM leader WHERE id = 1 AND NOT pg_is_in_recovery()`

/**
 * Ends the sessions with the names `$1` and `$2`, and waits until they have ended: those of a process that is
 * frozen inside a transaction keep its locks.
 */
export const END_SESSIONS = `SELECT pg_terminate_backend(pid, 2000) FROM pg_stat_activity
  WHERE datname = current_database() AND application_name IN ($1, $2)`

/** Takes the lease with the address `$2` and the root CA `$3`, if its epoch is still `$1`. */
export const TAKE = `UPDATE leader SET epoch = epoch + 1, address = $2, root_ca = $3, renewals = renewals + 1,
  until = clock_timestamp() + interval '3 seconds' WHERE id = 1 AND epoch = $1::bigint`

/** Renews the lease of the epoch `$1`. */
export const RENEW = `UPDATE leader SET renewals = renewals + 1, until = clock_timestamp() + interval '3 seconds'
  WHERE id = 1 AND epoch = $1::bigint RETURNING ${STATE}`

/** Ends the lease of the epoch `$1`. */
export const RELEASE = 'UPDATE leader SET until = clock_timestamp() WHERE id = 1 AND epoch = $1::bigint'
