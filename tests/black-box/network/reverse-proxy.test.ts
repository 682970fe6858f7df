import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runSvc, Service } from '../../support/executable/service.ts'
import { skips, whyNot } from '../../support/faults/prerequisites.ts'
import { freePort } from '../../support/free-port.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until } from '../../support/until.ts'

const PAGE = readFileSync(join(import.meta.dir, '../../../docs/how-to/https-behind-a-proxy.md'), 'utf8')
const HOST = 'svc.example.org'
/** The address of the client, which is neither that of the proxy nor of the server. */
const CLIENT = '127.0.0.2'
const MIB = 1024 * 1024

/** The block of the page in this language. */
function blockOf(language: string): string {
  const block = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(PAGE)?.[1]
  if (block === undefined) throw new Error(`the page has no ${language} block`)
  return block
}

/** The block with a part replaced that every reader has to replace, or that is taken on this machine. */
function replaced(block: string, parts: Readonly<Record<string, string>>): string {
  return Object.entries(parts).reduce((text, [part, by]) => {
    if (!text.includes(part)) throw new Error(`the page does not contain ${part}`)
    return text.replaceAll(part, by)
  }, block)
}

interface Place {
  folder: string
  /** Ports of the proxy. */
  https: number
  http: number
  /** Port of the server. */
  server: number
}

const PROXIES: Record<string, (place: Place) => { file: string; text: string; command: string[] }> = {
  nginx({ folder, https, http, server }) {
    const site = replaced(blockOf('nginx'), {
      '443 ssl': `${https} ssl`,
      'listen 80;': `listen ${http};`,
      'listen [::]:80;': `listen [::]:${http};`,
      '/etc/ssl/svc.example.org.': `${folder}/cert.`,
      '127.0.0.1:8090': `127.0.0.1:${server}`,
    })
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ')
    const text = `user root; daemon off; pid ${folder}/nginx.pid; error_log stderr;
events {}
http { access_log off; ${paths}
${site}
}`
    const file = join(folder, 'nginx.conf')
    return { file, text, command: ['nginx', '-p', folder, '-e', 'stderr', '-c', file] }
  },
  caddy({ folder, https, http, server }) {
    const site = replaced(blockOf('caddy'), {
      // No authority issues a certificate here.
      'svc.example.org {': `https://svc.example.org:${https} {\n\ttls ${folder}/cert.pem ${folder}/cert.key`,
      '127.0.0.1:8090': `127.0.0.1:${server}`,
    })
    const text = `{\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port ${http}\n}\n${site}`
    const file = join(folder, 'Caddyfile')
    return { file, text, command: ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'] }
  },
}

async function run(command: string[]): Promise<string> {
  const process = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const [out, err, status] = await Promise.all([
    new Response(process.stdout).text(),
    new Response(process.stderr).text(),
    process.exited,
  ])
  if (status !== 0) throw new Error(`${command[0]} ended with ${status}: ${err}`)
  return out
}

for (const [name, configure] of Object.entries(PROXIES)) {
  const title = `behind ${name}, configured as documented`
  test.skipIf(skips(title, whyNot(name, 'curl', 'openssl')))(
    title,
    async () => {
      using temporary = temporaryFolder()
      const folder = temporary.path
      await run(
        `openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${HOST} -addext subjectAltName=DNS:${HOST}
         -keyout ${folder}/cert.key -out ${folder}/cert.pem`.split(/\s+/),
      )
      const flags = ['--trusted-proxies', '127.0.0.1,::1', '--hsts-max-age', '1h']
      await using service = await Service.install(folder, { flags })
      await service.start()
      const place = { folder, https: freePort(), http: freePort(), server: service.port }
      const { file, text, command } = configure(place)
      writeFileSync(file, text)
      const proxy = Bun.spawn(command, {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, HOME: folder },
      })
      try {
        const base = `https://${HOST}:${place.https}`
        const client = [
          'curl',
          '-sS',
          '--interface',
          CLIENT,
          '--cacert',
          join(folder, 'cert.pem'),
          '-A',
          'lab/1',
        ]
        client.push('--resolve', `${HOST}:${place.https}:127.0.0.1`, '-H', 'content-type: application/json')
        const call = (path: string, ...more: string[]) => run([...client, ...more, `${base}${path}`])
        await until('the proxy', async () => (await call('/api/health').catch(() => '')).includes('healthy'))

        // The address of the client is recorded, whatever it claims.
        const forged = ['-H', 'X-Forwarded-For: 203.0.113.9', '-H', 'Forwarded: for=203.0.113.9;proto=http']
        const credentials = JSON.stringify({ identity: 'admin@example.org', password: 'a long password' })
        const login = '/api/collections/_superusers/auth-with-password'
        const { token } = JSON.parse(await call(login, ...forged, '-d', credentials))
        const listed = await runSvc(['audit', 'list', '--act', 'login', '--address', CLIENT, '--json'], {
          cwd: folder,
        })
        expect(JSON.parse(listed.out)).toMatchObject([
          { act: 'login', detail: { address: CLIENT, agent: 'lab/1' } },
        ])

        // Links for drivers lead past the proxy, HSTS is sent to clients that use HTTPS.
        const auth = ['-H', `Authorization: ${token}`]
        const qpu = JSON.parse(await call('/api/op/qpus/create', ...auth, '-d', '{"name": "north"}'))
        expect(qpu.svc_addr).toBe(service.url)
        expect(await call('/api/health', '-D', '-')).toMatch(/^strict-transport-security: max-age=3600\r$/im)
        expect((await fetch(`${service.url}/api/health`)).headers.has('strict-transport-security')).toBe(
          false,
        )
        expect(await call('/metrics', '-w', ' %{http_code}')).toMatch(/ 401$/)
        const plain = await run([
          ...['curl', '-sS', '-o', '/dev/null', '-w', '%{http_code} %{redirect_url}'],
          ...['-H', `Host: ${HOST}`, `http://127.0.0.1:${place.http}/x`],
        ]).catch(() => 'not served')
        if (name === 'nginx') expect(plain).toBe(`301 https://${HOST}/x`)

        // Events arrive while the stream is open.
        const stream = Bun.spawn([...client, '-N', `${base}/api/realtime`], { stdout: 'pipe' })
        let received = ''
        const reading = (async () => {
          for await (const chunk of stream.stdout) received += new TextDecoder().decode(chunk)
        })()
        await until('the stream', () => /"clientId":"\w+"/.test(received))
        const clientId = /"clientId":"(\w+)"/.exec(received)?.[1]
        const wanted = JSON.stringify({ clientId, subscriptions: ['qpus/*'] })
        expect(await call('/api/realtime', '-w', '%{http_code}', '-d', wanted)).toBe('204')
        await service.createQpu('south')
        await until('the event', () => received.includes('"name":"south"'))
        stream.kill()
        await reading

        // Too large for the server, and too large for nginx, which waits for the whole body.
        for (const [bytes, expected] of [
          [17 * MIB, /"code":"too_large".* 413$/s],
          [21 * MIB, name === 'nginx' ? /^(?!.*too_large).* 413$/s : /"code":"too_large".* 413$/s],
        ] as const) {
          writeFileSync(join(folder, 'body'), `{"circuits": "${'x'.repeat(bytes)}"}`)
          const upload = ['-H', 'Expect:', '--data-binary', `@${join(folder, 'body')}`, '-w', ' %{http_code}']
          expect(await call('/api/jobs', ...auth, ...upload)).toMatch(expected)
        }
      } finally {
        proxy.kill()
        await proxy.exited
      }
    },
    60_000,
  )
}
