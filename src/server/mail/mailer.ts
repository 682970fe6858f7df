import { readFileSync } from 'node:fs'
import type { Transporter } from 'nodemailer'
import {
  AppError,
  type Clock,
  type Log,
  MINUTE_MS,
  messageOf,
  reasonOf,
  withTimeout,
} from '../../base/index.ts'
import { COUNTS } from '../admission/limits.ts'
import type { Config } from '../config/settings.ts'

/** Delays before the retries, in ms; mail servers with greylisting accept a new sender after some minutes. */
const RETRY_DELAYS_MS = [5_000, MINUTE_MS, 10 * MINUTE_MS]
const TIMEOUTS_MS = { connect: 10_000, response: 20_000, stop: 5_000 }

/** A mail in plain text. */
export interface Mail {
  to: string
  subject: string
  text: string
  /** Its `Message-ID`; chosen by the mailer when absent. */
  messageId?: string
}

type MailSettings = Pick<
  Config,
  'smtpHost' | 'smtpPort' | 'smtpTls' | 'smtpCaFile' | 'smtpUser' | 'smtpPassword' | 'smtpFrom'
>

interface MailerDependencies {
  clock: Clock
  log: Log
}

/** Sends mails in the background. Mails that are not sent when the server stops are lost. */
export class Mailer {
  readonly #transport: Transporter
  readonly #from: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #stop = new AbortController()
  readonly #waiting = new Set<Promise<void>>()

  private constructor(transport: Transporter, from: string, { clock, log }: MailerDependencies) {
    this.#transport = transport
    this.#from = from
    this.#clock = clock
    this.#log = log.child('mail')
  }

  /**
   * Opens the mailer; nothing is sent yet.
   * @throws AppError `invalid` with reason `bad_config` when the CA file cannot be read.
   */
  static async open(config: MailSettings, dependencies: MailerDependencies): Promise<Mailer> {
    // Takes a tenth of a server's start, and few servers send mail.
    const { createTransport } = await import('nodemailer')
    const transport = createTransport({
      pool: true,
      maxConnections: 2,
      host: config.smtpHost,
      port: config.smtpPort,
      secure: config.smtpTls === 'tls',
      requireTLS: config.smtpTls === 'starttls',
      ignoreTLS: config.smtpTls === 'none',
      ...(config.smtpUser === '' ? {} : { auth: { user: config.smtpUser, pass: config.smtpPassword } }),
      ...(config.smtpCaFile === '' ? {} : { tls: { ca: readCa(config.smtpCaFile) } }),
      connectionTimeout: TIMEOUTS_MS.connect,
      greetingTimeout: TIMEOUTS_MS.connect,
      socketTimeout: TIMEOUTS_MS.response,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return new Mailer(transport, config.smtpFrom, dependencies)
  }

  /** Queues a mail; failures are logged without the text of the mail. */
  send(mail: Mail): void {
    if (!COUNTS.mails.isWithin('all', this.#waiting.size + 1)) {
      this.#log.warn('mail dropped: too many mails are queued', { waiting: this.#waiting.size })
      return
    }
    const delivery = this.#deliver(mail)
      .catch((error: unknown) => this.#log.error('mail not sent', { error: messageOf(error) }))
      .finally(() => this.#waiting.delete(delivery))
    this.#waiting.add(delivery)
  }

  /**
   * Sends a mail that the caller stores until it is sent.
   * @throws Error when it was not accepted; see `isFinalRefusal`.
   */
  async sendNow({ to, messageId, ...content }: Mail): Promise<void> {
    const headers = messageId === undefined ? {} : { messageId }
    await this.#transport.sendMail({
      from: this.#from,
      to: { name: '', address: to },
      ...content,
      ...headers,
    })
  }

  /** Discards queued mails; a mail in transmission may finish within 5 s. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the server stopped'))
    await withTimeout(Promise.all(this.#waiting), {
      clock: this.#clock,
      ms: TIMEOUTS_MS.stop,
      onTimeout: () => undefined,
    })
    this.#transport.close()
  }

  async #deliver(mail: Mail): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      this.#stop.signal.throwIfAborted()
      try {
        await this.sendNow(mail)
        return
      } catch (error) {
        const delayMs = RETRY_DELAYS_MS[tries]
        if (delayMs === undefined || isFinalRefusal(error)) throw error
        this.#log.warn('mail not sent; will retry', { error: messageOf(error), seconds: delayMs / 1_000 })
        await this.#clock.sleep(delayMs, this.#stop.signal)
      }
    }
  }
}

/** Whether the refusal is permanent (RFC 5321 §4.2.1: codes of 500 and above) or the login is wrong. */
export function isFinalRefusal(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return true
  if ('responseCode' in error && typeof error.responseCode === 'number') return error.responseCode >= 500
  return 'code' in error && error.code === 'EAUTH'
}

function readCa(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new AppError('invalid', `--smtp-ca-file: cannot read ${path}; ${reasonOf(cause)}`, {
      reason: 'bad_config',
      cause,
    })
  }
}
