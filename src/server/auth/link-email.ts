import type { Mail } from '../mail/mailer.ts'
import { LINK_SECONDS, type LinkPurpose } from './jwt.ts'

interface LinkEmail {
  to: string
  /** E-mail address of the account. */
  account: string
  /** Base URL of the server. */
  server: string
  link: string
}

const TEXTS: Record<LinkPurpose, { subject: string; reason: string; instruction: string }> = {
  verification: {
    subject: 'Confirm your e-mail address',
    reason: 'This address was entered for an account',
    instruction: 'If it is your address, confirm it by opening',
  },
  passwordReset: {
    subject: 'Choose a new password',
    reason: 'A new password was requested for the account',
    instruction: 'To choose a new password, open',
  },
  emailChange: {
    subject: 'Confirm your new e-mail address',
    reason: 'A change to this e-mail address was requested for the account',
    instruction: 'To confirm the change with your password, open',
  },
}

/** Composes the e-mail that contains a link. */
export function linkEmail(purpose: LinkPurpose, { to, account, server, link }: LinkEmail): Mail {
  const { subject, reason, instruction } = TEXTS[purpose]
  const minutes = LINK_SECONDS[purpose] / 60
  const within = minutes > 120 ? `${minutes / 60} hours` : `${minutes} minutes`
  const occasion = purpose === 'verification' ? reason : `${reason} ${account}`
  return {
    to,
    subject,
    text: `${occasion} at ${server}.

${instruction}

${link}

within ${within}. If you did not request this, ignore this e-mail: nothing will change.
`,
  }
}
