import { createHash } from 'node:crypto'
import { AppError, TimeSlice, toTimestamp } from '../../base/index.ts'
import { JsonText, StoredJson } from '../../db/index.ts'
import { type Receipt, signReceipt } from '../../protocol/index.ts'
import type { Places } from '../admission/places.ts'
import type { ServerContext } from '../context.ts'
import { type Caller, callerName } from '../http/caller.ts'
import { StoredChunks } from '../http/response/stored-chunks.ts'
import { viewJob } from './view.ts'

/**
 * Signs what a job that has ended ran and returned, as it is stored now. It has the hashes of results and of
 * programs above 64 KiB. `hashing` has a place for one large value, for which callers take turns.
 * @throws AppError `not_found`, also for jobs of other users; `conflict` (`job_not_ended`); `unavailable`
 *   (`no_receipt_key`, `changed_while_sent`).
 */
export async function issueReceipt(
  context: Pick<ServerContext, 'db' | 'config' | 'order' | 'clock' | 'tls' | 'version'>,
  caller: Caller,
  id: string,
  hashing: Places,
): Promise<Receipt> {
  const { payload, results, ...job } = await viewJob(context, caller, id)
  if (job.status === 'pending' || job.status === 'running') {
    const message = `The job is ${job.status}; it gets a receipt when it has ended`
    throw new AppError('conflict', message, { reason: 'job_not_ended' })
  }
  const hashIn = (value: unknown) =>
    value instanceof StoredJson
      ? hashing.run(() => hashOf(context, value), callerName(caller))
      : hashOf(context, value)
  const payload_sha256 = await hashIn(payload)
  const results_sha256 = await hashIn(results)
  const key = await context.tls.receiptKey()
  const document = {
    format: 1,
    issued_at: toTimestamp(context.clock.now()),
    server_version: context.version,
    job,
    payload: payload instanceof StoredJson ? null : payload,
    payload_sha256,
    results_sha256,
  } as const
  return signReceipt(document, key)
}

/**
 * SHA-256 of the JSON text of a value, hexadecimal; null for none. Large ones are read in slices, after each
 * of which other requests run for as long as it took.
 */
async function hashOf(
  { db, clock }: Pick<ServerContext, 'db' | 'clock'>,
  value: unknown,
): Promise<string | null> {
  if (value === null || value === undefined) return null
  const hash = createHash('sha256')
  if (value instanceof JsonText) hash.update(value.text)
  else if (!(value instanceof StoredJson)) hash.update(JSON.stringify(value))
  else {
    const chunks = new StoredChunks([value].values(), () => clock.monotonic())
    const slice = new TimeSlice(clock, 0)
    for (;;) {
      const chunk = await db.read((tx) => chunks.read(tx))
      if (!chunk) break
      hash.update(chunk)
      await slice.next(1)
    }
  }
  return hash.digest('hex')
}
