import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { until } from '../until.ts'

/** A mail as it arrived. */
export interface ReceivedMail {
  to: string[]
  /** Header lines. */
  head: string
  /** Decoded text. */
  text: string
  /** Over TLS. */
  secure: boolean
  /** The account that had logged in; '' = none. */
  user: string
}

/** A running mail server that stores the mails it receives. */
export interface MailSink extends AsyncDisposable {
  readonly port: number
  readonly mails: readonly ReceivedMail[]
  /** Connections so far. */
  readonly connections: number
  /** Waits for the `count`th mail and gives it. */
  mail(count?: number): Promise<ReceivedMail>
  /** The settings of a server that sends here, unencrypted. */
  readonly settings: Record<string, string>
}

interface SinkOptions {
  key?: string
  cert?: string
  /** TLS from the first byte. */
  secure?: boolean
  password?: string
  /** Codes with which the first mails are refused, such as 451. */
  refusals?: number[]
}

/** Starts the server of the package `smtp-server` on 127.0.0.1. */
export async function openMailSink({
  key,
  cert,
  secure = false,
  password,
  refusals = [],
}: SinkOptions = {}): Promise<MailSink> {
  const mails: ReceivedMail[] = []
  const refused = [...refusals]
  let connections = 0
  const options: SMTPServerOptions = {
    secure,
    ...(key && cert ? { key, cert } : { disabledCommands: ['STARTTLS'] }),
    authOptional: password === undefined,
    onConnect(_session, done) {
      connections += 1
      done()
    },
    onAuth(auth, _session, done) {
      if (auth.password === password) done(null, { user: auth.username ?? '' })
      else done(new Error('wrong password'))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const code = refused.shift()
        if (code !== undefined) return done(Object.assign(new Error('not now'), { responseCode: code }))
        mails.push({
          ...parse(Buffer.concat(chunks).toString()),
          to: session.envelope.rcptTo.map(({ address }) => address),
          secure: session.secure,
          user: String(session.user ?? ''),
        })
        done()
      })
    },
  }
  const server = new SMTPServer(options)
  // Clients that refuse the certificate are no failure of the sink.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    mails,
    get connections() {
      return connections
    },
    mail: (count = 1) => until(`mail ${count}`, () => mails[count - 1]),
    settings: {
      smtpHost: '127.0.0.1',
      smtpPort: String(port),
      smtpTls: 'none',
      smtpFrom: 'Lab <svc@example.org>',
    },
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

function parse(raw: string): Pick<ReceivedMail, 'head' | 'text'> {
  const end = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, end)
  const body = raw.slice(end + 4).replaceAll('\r\n', '\n')
  return { head, text: /quoted-printable/i.test(head) ? decode(body) : body }
}

/** Quoted-printable (RFC 2045 §6.7). */
function decode(text: string): string {
  const bytes = text
    .replace(/=\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString('utf8')
}
