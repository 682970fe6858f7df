import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newWebhookSecret, signatureHeaders } from '../../../src/server/webhooks/signature.ts'
import { absentOf, skips } from '../../support/faults/prerequisites.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const PAGE = readFileSync(join(import.meta.dir, '../../../docs/how-to/webhooks.md'), 'utf8')

/** The example of the page that is called `file`. */
function example(file: string): string {
  const code = PAGE.match(new RegExp(`\`\`\`\\w+ ${file.replace('.', '\\.')}\n(.*?)\`\`\``, 's'))?.[1]
  if (code === undefined) throw new Error(`docs/how-to/webhooks.md has no example ${file}`)
  return code
}

const MAIN = {
  'verify.py': `
import json, sys
given = json.load(sys.stdin)
try:
    verify(given["secret"], given["headers"], given["body"].encode())
    print("genuine")
except ValueError as error:
    print(error)
`,
  'verify.mjs': `
import { readFileSync } from 'node:fs'
const given = JSON.parse(readFileSync(0, 'utf8'))
try {
  verify(given.secret, given.headers, Buffer.from(given.body))
  console.log('genuine')
} catch (error) {
  console.log(error.message)
}
`,
} as const
const PROGRAMS = { 'verify.py': 'python3', 'verify.mjs': 'node' } as const

const secret = newWebhookSecret()
const body = '{"type":"job.ended","data":{"id":"ü"}}'
const sign = (options: { age?: number; secret?: string; previousSecret?: string } = {}) => {
  const now = Date.now() - (options.age ?? 0)
  return signatureHeaders({ id: 'abc', body, secret, previousSecret: '', ...options, now })
}

const CASES = [
  { name: 'a delivery', headers: sign(), body, says: 'genuine' },
  { name: 'a delivery almost 5 minutes old', headers: sign({ age: 280_000 }), body, says: 'genuine' },
  {
    name: 'a delivery during a rotation',
    headers: sign({ secret: newWebhookSecret(), previousSecret: secret }),
    body,
    says: 'genuine',
  },
  { name: 'another body', headers: sign(), body: `${body} `, says: 'the signature does not match' },
  {
    name: 'another id',
    headers: { ...sign(), 'webhook-id': 'abd' },
    body,
    says: 'the signature does not match',
  },
  {
    name: 'another secret',
    headers: sign({ secret: newWebhookSecret() }),
    body,
    says: 'the signature does not match',
  },
  {
    name: 'a delivery recorded 6 minutes ago',
    headers: sign({ age: 360_000 }),
    body,
    says: 'the timestamp is too old or too new',
  },
  {
    name: 'a delivery of the future',
    headers: sign({ age: -360_000 }),
    body,
    says: 'the timestamp is too old or too new',
  },
]

for (const file of ['verify.py', 'verify.mjs'] as const) {
  const program = PROGRAMS[file]
  const title = `the example ${file} of docs/how-to/webhooks.md`
  describe.skipIf(skips(title, absentOf(program)))(title, () => {
    for (const { name, headers, body, says } of CASES) {
      test(`${says === 'genuine' ? 'accepts' : 'refuses'} ${name}`, async () => {
        using folder = temporaryFolder()
        const path = join(folder.path, file)
        writeFileSync(path, example(file) + MAIN[file])
        const run = Bun.spawn([program, path], {
          stdin: new Blob([JSON.stringify({ secret, headers, body })]),
          stdout: 'pipe',
          stderr: 'inherit',
        })
        expect((await new Response(run.stdout).text()).trim()).toBe(says)
      })
    }
  })
}

test('signatureHeaders() signs as the example of the Standard Webhooks specification', () => {
  const headers = signatureHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    body: '{"test": 2432232314}',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    previousSecret: '',
    now: 1_614_265_330_000,
  })
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})
