import { feature } from 'bun:bundle'
import {
  type BackoffLimits,
  backoffMs,
  type Clock,
  failpoint,
  formatDuration,
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
  type Digest,
  discardAllDigests,
  finishDigest,
  hasDigests,
  hasSlotStarts,
  listDueDigests,
  type MailItem,
  postponeDigest,
} from '../../db/store/mail/index.ts'
import { isFinalRefusal, type Mail, type Mailer } from './mailer.ts'

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

/** Mails users and superusers what they chose to be mailed, in digests. */
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

/** The site that a mail is about. */
interface Site {
  name: string
  /** Base URL of the server. */
  url: string
}

/** Composes the mail of a digest. The `Message-ID` is the same each time that the digest is sent. */
function digestMail({ user, email, upto, items, dropped }: Digest, { name, url }: Site): Mail {
  const lines = items.map((item) => `- ${item.at.slice(0, 19)} UTC: ${sentenceOf(item)}`)
  const [first] = items
  const isOne = items.length === 1 && dropped === 0 && first !== undefined
  const more = dropped === 0 ? '' : `- ${dropped} further events that are not listed\n`
  return {
    to: email,
    subject: `${name}: ${isOne ? sentenceOf(first) : `${items.length + dropped} events`}`,
    text: `${lines.join('\n')}
${more}
${url}

You receive this e-mail because you chose to be mailed of such events. To stop these mails, open
Settings → Profile: ${url}/settings/profile
`,
    messageId: `<digest-${upto}-${user}@${new URL(url).hostname}>`,
  }
}

function sentenceOf({ kind, detail }: MailItem): string {
  switch (kind) {
    case 'limit_passed':
      return oneLine(detail.text)
    case 'job_ended':
      return `Job ${detail.job} ended: ${detail.status}, ${formatDuration(Math.round(detail.seconds) * 1_000)} after its submission`
    case 'slot_started':
      return `Your slot on ${detail.qpu || 'all QPUs'} has started and ends at ${detail.end.slice(0, 16)} UTC`
    case 'time_request_decided':
      return `Your request for ${detail.seconds} s of QPU time was ${detail.status}${detail.reason === '' ? '' : `: ${oneLine(detail.reason)}`}`
  }
}

/** Texts of people must not begin a new line of the mail or its subject. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 200)
}
