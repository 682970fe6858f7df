import { feature } from 'bun:bundle'
import {
  type BackoffLimits,
  backoffMs,
  type Clock,
  failpoint,
  HOUR_MS,
  type Log,
  Loop,
  MINUTE_MS,
  messageOf,
  withTimeout,
} from '../../base/index.ts'
import type { Database } from '../../db/index.ts'
import {
  announceSlotStarts,
  claimDigest,
  discardAllDigests,
  finishDigest,
  hasDigests,
  hasSlotStarts,
  listDueDigests,
  postponeDigest,
} from '../../db/store/mail/index.ts'
import { digestMail } from './digest-text.ts'
import { isFinalRefusal, type Mailer } from './mailer.ts'

/** Longest delay of a mail that may be sent. */
const POLL_MS = 5_000
const STOP_MS = 5_000
/** Digests sent by one run of the loop, one after the other. */
const MAX_DIGESTS_PER_RUN = 20
/** Pauses after a mail server did not accept a digest. */
const RETRY: BackoffLimits = { initialMs: MINUTE_MS, maxMs: HOUR_MS }

interface DigestSenderDependencies {
  db: Database
  clock: Clock
  log: Log
  /** Undefined without a mail server. */
  mailer: Pick<Mailer, 'sendNow'> | undefined
  siteName: string
  publicUrl: () => string
}

/** Mails users what they chose to be mailed: at most one digest per user and minute. */
export class DigestSender {
  readonly loop: Loop
  readonly #dependencies: DigestSenderDependencies

  constructor(dependencies: DigestSenderDependencies) {
    const { clock, log } = dependencies
    this.#dependencies = dependencies
    this.loop = new Loop({
      name: 'mail digests',
      summary: 'Send the digests of notifications that are due by mail',
      clock,
      log: log.child('mail'),
      intervalMs: POLL_MS,
      runOnce: () => this.runOnce(),
    })
  }

  /** Queues mails about slots that have started, and sends the digests that are due. */
  async runOnce(): Promise<void> {
    const { db, mailer } = this.#dependencies
    if (!mailer) {
      if (await db.read(hasDigests)) await db.write('discard mail digests', discardAllDigests)
      return
    }
    if (await db.read(hasSlotStarts)) await db.write('announce slots', announceSlotStarts)
    const due = await db.read((tx) => listDueDigests(tx, MAX_DIGESTS_PER_RUN))
    // A mail server that accepts no mail now would only let each of them wait for its time-out.
    for (const user of due) if (!(await this.#send(user, mailer))) return
  }

  /** Stops; a mail whose transmission takes longer than 5 s may be sent again after the next start. */
  async stop(): Promise<void> {
    const { clock } = this.#dependencies
    await withTimeout(this.loop.stop(), { clock, ms: STOP_MS, onTimeout: () => undefined })
  }

  /** Sends the digest of one user, if there is one; returns whether further ones make sense now. */
  async #send(user: string, mailer: Pick<Mailer, 'sendNow'>): Promise<boolean> {
    const { db, log, siteName, publicUrl } = this.#dependencies
    const digest = await db.write('claim mail digest', (tx) => claimDigest(tx, user))
    if (!digest) return true
    if (feature('FAILPOINTS')) failpoint('mail.claimed')
    try {
      await mailer.sendNow(digestMail(digest, { name: siteName, url: publicUrl() }))
    } catch (error) {
      const isFinal = isFinalRefusal(error)
      log.warn('mail digest not sent', { user, error: messageOf(error), isFinal })
      if (!isFinal) {
        const pauseMs = backoffMs(digest.failures + 1, RETRY)
        await db.write('postpone mail digest', (tx) => postponeDigest(tx, digest, pauseMs))
        return false
      }
    }
    if (feature('FAILPOINTS')) failpoint('mail.sent')
    await db.write('finish mail digest', (tx) => finishDigest(tx, digest))
    return true
  }
}
