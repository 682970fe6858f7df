import type { Mail } from '../mail/mailer.ts'
import { LINK_SECONDS, type LinkPurpose } from './jwt.ts'

interface LinkEmail {
  to: string
  /** Address of the account in question. */
  account: string
  /** Address of the server. */
  server: string
  link: string
}

const TEXTS: Record<LinkPurpose, { subject: string; why: string; todo: string }> = {
  verification: {
    subject: 'Confirm your e-mail address',
    why: 'This address was given for an account',
    todo: 'If it is yours, confirm it at',
  },
  passwordReset: {
    subject: 'Choose a new password',
    why: 'Somebody asked for a new password of the account',
    todo: 'To choose one, open',
  },
  emailChange: {
    subject: 'Confirm your new e-mail address',
    why: 'This address is to become the one of the account',
    todo: 'If you want that, confirm it with your password at',
  },
}

/** The mail that carries a link. */
export function linkEmail(purpose: LinkPurpose, { to, account, server, link }: LinkEmail): Mail {
  const { subject, why, todo } = TEXTS[purpose]
  const minutes = LINK_SECONDS[purpose] / 60
  const within = minutes > 120 ? `${minutes / 60} hours` : `${minutes} minutes`
  const whose = purpose === 'verification' ? why : `${why} ${account}`
  return {
    to,
    subject,
    text: `${whose} at ${server}.

${todo}

${link}

within ${within}. If you did not ask for it, do nothing: all stays as it is.
`,
  }
}
