import { expect, test } from 'bun:test'
import { createLog, silentLog, systemClock } from '../../../src/base/index.ts'
import { Mailer } from '../../../src/server/mail/mailer.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { openMailSink } from '../../support/server/smtp.ts'
import { makeTestCertificates } from '../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const SETTINGS = {
  smtpHost: '127.0.0.1',
  smtpPort: 25,
  smtpTls: 'none',
  smtpCaFile: '',
  smtpUser: '',
  smtpPassword: '',
  smtpFrom: 'Lab <svc@example.org>',
} as const
const MAIL = { to: 'ada@example.org', subject: 'Grüße', text: 'Zeile eins\n\nhttps://svc.example.org/?a=b\n' }

test('a mail arrives with sender, subject and text', async () => {
  await using sink = await openMailSink()
  const mailer = await Mailer.open(
    { ...SETTINGS, smtpPort: sink.port },
    { clock: systemClock, log: silentLog },
  )
  mailer.send(MAIL)
  const { head, text, to } = await sink.mail()
  expect(to).toEqual(['ada@example.org'])
  expect(head).toContain('From: Lab <svc@example.org>')
  expect(head).toContain('Subject: =?UTF-8?')
  expect(text.trim()).toBe(MAIL.text.trim())
  await mailer.stop()
})

test('TLS is used as configured, from the first byte or by STARTTLS, and only with a trusted certificate', async () => {
  using folder = temporaryFolder()
  const { caPem, certPem, keyPem } = await makeTestCertificates()
  const smtpCaFile = `${folder.path}/ca.pem`
  await Bun.write(smtpCaFile, caPem)
  for (const smtpTls of ['tls', 'starttls'] as const) {
    await using sink = await openMailSink({
      key: keyPem,
      cert: certPem,
      secure: smtpTls === 'tls',
      password: 'right',
    })
    const settings = { ...SETTINGS, smtpPort: sink.port, smtpTls, smtpUser: 'svc', smtpPassword: 'right' }
    const clock = new FakeClock()
    const mailer = await Mailer.open({ ...settings, smtpCaFile }, { clock, log: silentLog })
    mailer.send(MAIL)
    expect(await sink.mail()).toMatchObject({ secure: true, user: 'svc' })
    await mailer.stop()

    const lines: string[] = []
    const log = createLog({ format: 'json', write: (line) => lines.push(line) })
    const trusting = await Mailer.open(settings, { clock, log })
    trusting.send(MAIL)
    await until('the refusal', () => lines.length > 0)
    expect(lines[0]).toMatch(/certificate/)
    expect(sink.mails).toHaveLength(1)
    await trusting.stop()
  }
})

test('a server without STARTTLS receives no mail unless encryption is disabled', async () => {
  await using sink = await openMailSink()
  const lines: string[] = []
  const log = createLog({ format: 'json', write: (line) => lines.push(line) })
  const mailer = await Mailer.open(
    { ...SETTINGS, smtpPort: sink.port, smtpTls: 'starttls' },
    { clock: new FakeClock(), log },
  )
  mailer.send(MAIL)
  await until('the refusal', () => lines.length > 0)
  expect(lines[0]).toMatch(/STARTTLS/)
  expect(sink.mails).toEqual([])
  await mailer.stop()
})

test('a temporary refusal is retried after 5 s, 1 min and 10 min; a permanent one is not', async () => {
  const clock = new FakeClock()
  const lines: string[] = []
  const log = createLog({ format: 'json', write: (line) => lines.push(line) })
  {
    await using sink = await openMailSink({ refusals: [451, 451, 451] })
    const mailer = await Mailer.open({ ...SETTINGS, smtpPort: sink.port }, { clock, log })
    mailer.send(MAIL)
    for (const [tries, pause] of [5_000, 60_000, 600_000].entries()) {
      await until(`try ${tries + 1}`, () => lines.length === tries + 1)
      expect(JSON.parse(lines[tries] ?? '')).toMatchObject({ level: 'warn', seconds: pause / 1_000 })
      await clock.advance(pause)
    }
    expect((await sink.mail()).to).toEqual(['ada@example.org'])
    await mailer.stop()
  }
  lines.length = 0
  await using sink = await openMailSink({ refusals: [550] })
  const mailer = await Mailer.open({ ...SETTINGS, smtpPort: sink.port }, { clock, log })
  mailer.send(MAIL)
  await until('the error', () => lines.length > 0)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'error', message: 'mail not sent' })
  // Neither text nor address of a mail is logged.
  expect(lines.join()).not.toContain('svc.example.org/?a=b')
  await mailer.stop()
})

test('a wrong password for the mail server is not retried', async () => {
  await using sink = await openMailSink({ password: 'right' })
  const lines: string[] = []
  const log = createLog({ format: 'json', write: (line) => lines.push(line) })
  const settings = { ...SETTINGS, smtpPort: sink.port, smtpUser: 'svc', smtpPassword: 'wrong-password' }
  const mailer = await Mailer.open(settings, { clock: new FakeClock(), log })
  mailer.send(MAIL)
  await until('the error', () => lines.length > 0)
  expect(JSON.parse(lines[0] ?? '').level).toBe('error')
  expect(lines.join()).not.toContain('wrong-password')
  await mailer.stop()
})

test('stop() discards mails that wait for a retry', async () => {
  const lines: string[] = []
  const log = createLog({ format: 'json', write: (line) => lines.push(line) })
  await using sink = await openMailSink({ refusals: [451] })
  const mailer = await Mailer.open({ ...SETTINGS, smtpPort: sink.port }, { clock: new FakeClock(), log })
  mailer.send(MAIL)
  await until('the first attempt', () => lines.length === 1)
  await mailer.stop()
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ level: 'error', error: 'the server stopped' })
})

test('at most 500 mails are queued', async () => {
  const lines: string[] = []
  const log = createLog({ format: 'json', write: (line) => lines.push(line) })
  await using sink = await openMailSink()
  const mailer = await Mailer.open({ ...SETTINGS, smtpPort: sink.port }, { clock: systemClock, log })
  for (let count = 0; count < 501; count += 1) mailer.send(MAIL)
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['mail dropped: too many mails are queued'])
  await mailer.stop()
})

test('an unreadable CA file is an invalid setting', async () => {
  const settings = { ...SETTINGS, smtpCaFile: '/nowhere/ca.pem' }
  const opening = Mailer.open(settings, { clock: systemClock, log: silentLog })
  expect(opening).rejects.toThrow('--smtp-ca-file: cannot read /nowhere/ca.pem')
})
