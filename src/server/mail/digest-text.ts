import { formatDuration } from '../../base/index.ts'
import type { Digest, MailItem } from '../../db/store/mail/index.ts'
import type { Mail } from './mailer.ts'

/** The site that a mail is about. */
interface Site {
  name: string
  /** Base URL of the server. */
  url: string
}

/** Composes the mail of a digest. The `Message-ID` is the same each time that the digest is sent. */
export function digestMail({ user, email, upto, items, dropped }: Digest, { name, url }: Site): Mail {
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

You receive this e-mail because you chose to be mailed of such events. To stop these mails, set
mail_job_after to 0, and mail_slot_start and mail_time_request to false, in your account.
`,
    messageId: `<digest-${upto}-${user}@${new URL(url).hostname}>`,
  }
}

function sentenceOf({ kind, detail }: MailItem): string {
  switch (kind) {
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
