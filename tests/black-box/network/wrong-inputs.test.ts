import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FOREIGN_WORDS } from '../../support/executable/foreign-words.ts'
import { runSvc, Service } from '../../support/executable/service.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

/** Of commands only: they have other words for them. */
const ROUTES = /\b(GET|POST|PUT|PATCH|DELETE) \/|\/api\/|Idempotency-Key/

const THREE = new Uint8Array([0xff, 0, 0x81])
const FILES: Record<string, string | Uint8Array> = {
  'bell.qasm': 'OPENQASM 3.0;\ninclude "stdgates.inc";\nqubit[1] q;\nh q[0];\n',
  'three.bin': THREE,
  'receipt.json': '{"payload":"x","protected":"y","signature":"z"}',
  'list.json': '[1]',
  'cut.json': '{"collection": "users", "a":',
  'hello.txt': 'hello\n',
  nothing: '',
  'typo.yml': 'serverPrt: 1\n',
  'flag.yml': 'server-port: 1\n',
  'cut.yml': 'a: [1',
}

const folder = temporaryFolder()
let service: Service
let connected: Record<string, string>
let superuser: string

beforeAll(async () => {
  for (const [name, content] of Object.entries(FILES)) writeFileSync(join(folder.path, name), content)
  mkdirSync(join(folder.path, 'folder'))
  const home = join(folder.path, 'server')
  mkdirSync(home)
  service = await Service.install(home)
  await service.start()
  superuser = await service.admin()
  const options = { token: superuser, body: { name: 'test', scope: 'operate' } }
  const made = await service.call<{ token: string }>('POST', '/api/tokens', options)
  connected = { SVC_ADDR: service.url, SVC_API_TOKEN: made.body.token, SVC_DIR: join(home, 'svc_data') }
}, 60_000)
afterAll(async () => {
  await service.stop()
  folder[Symbol.dispose]()
})

/** Words of a call, and what its output names. */
type Row = [words: string, named: RegExp | string]

const ALONE: Row[] = [
  ['verify nofile.json', 'there is no '],
  ['verify three.bin', /three\.bin \(binary data of 3 bytes\) is neither a receipt nor of a signed release/],
  ['verify bell.qasm', /bell\.qasm \(an OpenQASM program\) is neither/],
  ['verify folder', /folder \(a folder\) is neither/],
  ['verify hello.txt --key nofile', 'hello.txt (other text) is neither'],
  ['verify receipt.json', 'no root CA to trust'],
  ['verify receipt.json --ca hello.txt', '--ca hello.txt: '],
  ['simulate --from nofile', 'There is no file nofile'],
  ['simulate --from bell.qasm', 'bell.qasm is not a database of svc, but an OpenQASM program'],
  ['simulate --from receipt.json', 'not a database of svc, but the receipt of a job'],
  ['simulate --from nothing', 'not a database of svc, but empty'],
  ['backup verify nofile', 'There is no file nofile'],
  ['backup verify three.bin', 'three.bin is not a backup of svc, but binary data of 3 bytes'],
  ['backup verify list.json', 'list.json is not a backup of svc, but JSON'],
  ['backup verify folder', 'folder is a folder; name the file of a backup'],
  ['restore bell.qasm', 'bell.qasm is not a backup of svc, but an OpenQASM program'],
  ['import nofile', 'Cannot read nofile: there is no such file or folder'],
  ['import three.bin', 'three.bin is binary data of 3 bytes; name a file of JSON lines'],
  ['import bell.qasm', 'bell.qasm is an OpenQASM program; name a file of JSON lines'],
  ['import folder', 'folder is a folder; name a file of JSON lines'],
  ['import cut.json', 'cut.json:1: malformed JSON'],
  ['submit nofile', 'cannot read nofile: there is no such file or folder'],
  ['submit folder', 'cannot read folder: it is a folder'],
  ['submit three.bin', 'it is binary data of 3 bytes, not an OpenQASM program'],
  ['submit receipt.json', 'it is the receipt of a job, not an OpenQASM program'],
  ['submit bell.qasm', 'no server; run svc login ADDRESS'],
  ['serve --config-file nofile', '--config-file: cannot read nofile; there is no such file or folder'],
  ['serve --config-file folder', '--config-file: cannot read folder; it is a folder'],
  ['serve --config-file typo.yml', 'typo.yml, line 1: unknown key serverPrt; did you mean serverPort?'],
  ['serve --config-file flag.yml', 'unknown key server-port; did you mean serverPort?'],
  [
    'serve --config-file cut.yml',
    'cut.yml: not readable as YAML or JSON; the file is other text with an error at line 1',
  ],
  ['serve --config-file three.bin', 'three.bin: not readable as YAML or JSON; the file is binary data'],
  ['serve --dir bell.qasm', 'Cannot create the data folder bell.qasm'],
  ['serve --smtp-ca-file nofile --smtp-host a --smtp-from a@b.c', 'there is no such file or folder'],
  ['doctor --dir nofolder', 'There is no database in nofolder'],
  ['driver convert-device-file nofile', 'nofile: there is no such file or folder'],
  ['driver convert-device-file folder', 'folder: it is a folder'],
  ['driver convert-device-file bell.qasm', 'The file cannot be converted'],
  ['driver restore-device-file nofile', 'nofile'],
  ['driver check bell.qasm', 'unexpected argument bell.qasm'],
  ['driver start --token-file nofile', 'cannot read nofile; there is no such file or folder'],
  ['driver start --token-file folder', 'cannot read folder; it is a folder'],
  ['jobs --svc-addr http://127.0.0.1:1', 'No connection: http://127.0.0.1:1'],
  ['health --url http://127.0.0.1:1', 'nothing listens there'],
  ['login nowhere', 'is no URL'],
]

const CONNECTED: Row[] = [
  ['submit bell.qasm', 'scope operate'],
  ['jobs --qpu nowhere', '--qpu: There is no QPU nowhere; svc qpus lists them'],
  ['jobs --before x', '--before: Expected the id of a job'],
  ['job x', 'there is no job x'],
  ['job hold x', 'there is no job x'],
  [`qpu drain nowhere --reason ${'x'.repeat(3_000)}`, 'there is no QPU nowhere'],
  ['calibration resume x', 'there is no calibration request x'],
  ['resume x', 'no job was submitted with this key'],
  ['backup nofolder/x.db', 'there is no folder nofolder; create it first'],
  ['export --output nofolder/x', 'there is no folder nofolder; create it first'],
  ['export --output folder', 'Cannot write folder: it is a folder'],
]

/** Path, body (an object as JSON) and what the response names. */
const REQUESTS: [path: string, body: unknown, named: RegExp | string][] = [
  ['/api/jobs?limt=1', undefined, 'Unknown key limt; did you mean limit?'],
  ['/api/jobs?limit=x', undefined, 'whole number from 1 to 1000'],
  ['/api/jobs', '{', 'Body: malformed JSON'],
  ['/api/jobs', '[]', 'Body: expected a JSON object'],
  ['/api/jobs', THREE, 'Body: not valid UTF-8'],
  ['/api/jobs', {}, 'Cannot be blank'],
  ['/api/jobs', { circuits: 1 }, 'Expected a list'],
  ['/api/jobs', { circuits: [{ circuit: 1 }] }, 'Expected a text'],
  ['/api/jobs', { circits: [] }, 'did you mean circuits?'],
  ['/api/jobs', { circuits: ['OPENQASM 3;'], require: { t1: 'x' } }, 't1'],
  ['/api/nowhere', undefined, 'not_found'],
  ['/api/tokens', { name: 1 }, 'Expected a text'],
  ['/api/tokens', { name: 'a', scope: 'x' }, 'Expected one of'],
  ['/api/collections/nowhere/records', undefined, 'Missing collection'],
  ['/api/collections/users/records?filter=a', undefined, 'operator'],
  ['/api/collections/users/records?sort=zz', undefined, 'There is no field'],
  ['/api/collections/users/records?perPage=x', undefined, 'whole number'],
  ['/api/collections/users/records?fields=a:x', undefined, 'Fields cannot be read'],
  ['/api/collections/qpus/records', { name: '' }, 'Cannot be blank'],
  ['/api/collections/time_slots/records', { start_time: 'x' }, 'time'],
  ['/api/collections/users/auth-with-password', { identity: 1 }, 'Expected a text'],
  ['/api/op/calibrate/dispatch', { resume: 'x' }, 'Expected an id of 15 characters'],
  ['/api/op/calibrate/dispatch', {}, 'name a request to continue'],
  ['/api/reads', {}, 'Cannot be blank'],
  ['/api/realtime', { clientId: 1 }, 'Expected a text'],
  ['/nowhere', undefined, '<title>'],
]

function check(said: string, named: RegExp | string, foreign: readonly RegExp[]): void {
  expect(said).toMatch(named)
  for (const words of foreign) expect(said).not.toMatch(words)
}

describe('a wrong input is named as what it is, in words of this program:', () => {
  test.each(ALONE)('svc %s', async (words, named) => {
    const { out, err, status } = await runSvc(words.split(' '), { cwd: folder.path })
    check(out + err, named, [...FOREIGN_WORDS, ROUTES])
    expect(status).not.toBe(0)
  })

  test.each(CONNECTED)('svc %s, at a server', async (words, named) => {
    const { out, err, status } = await runSvc(words.split(' '), { cwd: folder.path, env: connected })
    check(out + err, named, [...FOREIGN_WORDS, ROUTES])
    expect(status).not.toBe(0)
  })

  test.each(REQUESTS)('%s with %p', async (path, body, named) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${service.url}${path}`, {
      headers: { authorization: superuser, 'content-type': 'application/json' },
      ...(body !== undefined && { method: 'POST', body: body === THREE ? THREE : text }),
    })
    check(await response.text(), named, FOREIGN_WORDS)
  })
})
