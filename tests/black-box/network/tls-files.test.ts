import { describe, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { fingerprintOf } from '../../../src/protocol/index.ts'
import { startSvc } from '../../support/executable/background-process.ts'
import { submit, untilJob } from '../../support/executable/job-calls.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { freePort } from '../../support/free-port.ts'
import { makeTestCertificates } from '../../support/sockets/certificates.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const FILES = ['.svc.ca.pem', '.svc.ca.key', '.svc.cert.pem', '.svc.key'] as const

function modeOf(folder: string, file: string): string {
  return (statSync(join(folder, file)).mode & 0o777).toString(8)
}

function certificateIn(folder: string, file = '.svc.cert.pem'): X509Certificate {
  return new X509Certificate(readFileSync(join(folder, file)))
}

/** Starts a server that must not come up, in the folder of another. */
function serve(folder: string, ...flags: string[]) {
  return runSvc(['serve', '--server-port', '0', '--https-port', '0', ...flags], { cwd: folder })
}

describe('the certificate files', () => {
  test('are made at first start, with keys readable by the owner only, and unchanged at the next', async () => {
    using folder = temporaryFolder()
    await using service = await Service.install(folder.path)
    await service.start()
    await service.stop()
    const readable = (0o644 & ~process.umask()).toString(8)
    expect(FILES.map((file) => modeOf(folder.path, file))).toEqual([readable, '600', readable, '600'])
    const before = FILES.map((file) => readFileSync(join(folder.path, file), 'utf8'))
    await service.start()
    await service.stop()
    expect(FILES.map((file) => readFileSync(join(folder.path, file), 'utf8'))).toEqual(before)
    expect(certificateIn(folder.path).checkIP('127.0.0.1')).toBe('127.0.0.1')
  })

  test.each(['.svc.ca.key', '.svc.key'])(
    '%s that others may read is refused with the remedy',
    async (key) => {
      using folder = temporaryFolder()
      await using service = await Service.install(folder.path)
      await service.start()
      await service.stop()
      for (const mode of [0o644, 0o640, 0o602]) {
        chmodSync(join(folder.path, key), mode)
        const { status, err } = await serve(folder.path)
        expect(err).toContain(`${key} is open to other users (mode 0${mode.toString(8)}); run: chmod 600`)
        expect(err.trim().split('\n')).toHaveLength(1)
        expect(status).toBe(1)
      }
      chmodSync(join(folder.path, key), 0o600)
      await service.start()
      await service.stop()
    },
  )

  test('give a new leaf, of the same root, when --ip-addr or --domain changes', async () => {
    using folder = temporaryFolder()
    await using service = await Service.install(folder.path)
    await service.start()
    await service.stop()
    const root = certificateIn(folder.path, '.svc.ca.pem')
    const first = certificateIn(folder.path)
    await using moved = startSvc(
      [
        ...['serve', '--server-port', String(freePort()), '--https-port', '0'],
        ...['--ip-addr', '127.0.0.3', '--domain', 'qpu.example.org'],
      ],
      { cwd: folder.path },
    )
    await moved.untilLogged('server started')
    const second = certificateIn(folder.path)
    expect(second.serialNumber).not.toBe(first.serialNumber)
    expect(second.checkIP('127.0.0.3')).toBe('127.0.0.3')
    expect(second.checkHost('qpu.example.org')).toBe('qpu.example.org')
    expect(first.checkIP('127.0.0.3')).toBe(undefined)
    expect(certificateIn(folder.path, '.svc.ca.pem').fingerprint256).toBe(root.fingerprint256)
    expect(second.verify(root.publicKey)).toBe(true)
    expect(modeOf(folder.path, '.svc.key')).toBe('600')
  })

  test('of an administrator are served as they are, or refused by name', async () => {
    using folder = temporaryFolder()
    const { caPem, certPem, keyPem, expired } = await makeTestCertificates()
    const put = (cert: string, key: string) => {
      writeFileSync(join(folder.path, '.svc.ca.pem'), caPem)
      writeFileSync(join(folder.path, '.svc.cert.pem'), cert)
      writeFileSync(join(folder.path, '.svc.key'), key, { mode: 0o600 })
    }
    put(expired.certPem, expired.keyPem)
    const old = await serve(folder.path)
    expect(old.err).toContain('.svc.cert.pem')
    expect(old.err).toContain('expired')
    expect(old.status).toBe(1)
    put(certPem, expired.keyPem)
    const mixed = await serve(folder.path)
    expect(mixed.err).toContain('does not belong to the private key')
    expect(mixed.status).toBe(1)
    put(certPem, keyPem)
    await using service = await Service.install(folder.path)
    await service.start()
    expect(await (await fetch(`${service.url}/api/pub/root-ca.pem`)).text()).toContain(caPem)
    await service.stop()
    expect(readFileSync(join(folder.path, '.svc.cert.pem'), 'utf8')).toBe(certPem)
    expect(existsSync(join(folder.path, '.svc.ca.key'))).toBe(false)
  })
})

describe('--https-port', () => {
  test('serves the same application to clients that trust the root CA, and to no others', async () => {
    using folder = temporaryFolder()
    const port = freePort()
    await using service = await Service.install(folder.path, { flags: ['--https-port', String(port)] })
    await service.start()
    const response = await fetch(`${service.url}/api/pub/root-ca.pem`)
    const ca = await response.text()
    expect(response.headers.get('content-type')).toContain('pem')
    expect(ca).not.toContain('PRIVATE')
    const qpu = await service.createQpu('safe')
    expect(fingerprintOf(ca)).toBe(qpu.fingerprint)

    const url = `https://127.0.0.1:${port}`
    const health = await fetch(`${url}/api/health`, { tls: { ca } })
    expect(health.status).toBe(200)
    await expect(fetch(`${url}/api/health`)).rejects.toThrow('certificate')

    const socket = connect({ host: '127.0.0.1', port, ca: [ca], servername: '' })
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject))
    expect(socket.authorized).toBe(true)
    expect(['TLSv1.2', 'TLSv1.3']).toContain(socket.getProtocol() ?? '')
    socket.destroy()
    const old = connect({ host: '127.0.0.1', port, ca: [ca], maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })
    await new Promise<void>((resolve, reject) => {
      old.once('secureConnect', () => reject(new Error('TLS 1.1 was accepted')))
      old.once('error', () => resolve())
    })

    // A driver by HTTPS: its token is never in the clear, and it logs no warning about that.
    const user = await service.createUser(10)
    const args = service.driverArgs('safe', qpu.fingerprint, 'mock')
    args[args.indexOf('--svc-addr') + 1] = url
    await using driver = startSvc(args, { cwd: folder.path, env: { SVC_ACCESS_TOKEN: qpu.token } })
    const job = await untilJob(service, user.token, await submit(service, user.token))
    expect(job.status).toBe('completed')
    expect(driver.log).not.toContain('plain HTTP')
    expect(driver.log).not.toContain(qpu.token)
    driver.process.kill('SIGTERM')
    await driver.ended()
    await service.stop()
  })
})
