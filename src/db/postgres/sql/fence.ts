/** The SQLSTATE of a transaction of a server that does not lead any more. */
export const NOT_LEADER_STATE = 'SVC01'

/** Refuses the transactions of a server whose epoch is over. */
export const FENCE = `CREATE OR REPLACE FUNCTION svc_fence(held bigint) RETURNS void LANGUAGE plpgsql AS $svc$
BEGIN
  PERFORM 1 FROM leader WHERE epoch = held FOR KEY SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'another server leads' USING ERRCODE = '${NOT_LEADER_STATE}'; END IF;
END $svc$`

/** Begins each transaction of the leader; fails when another one leads. */
export const fenceOf = (epoch: number): string => `SELECT svc_fence(${epoch})`
