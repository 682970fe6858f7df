import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GivenFlags } from '../../src/base/index.ts'
import { notSafe } from '../../src/devices/safe-path.ts'
import { checkAccess, readDriverSettings } from '../../src/driver/settings.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const PIN = 'ab'.repeat(32)
const GOOD: GivenFlags = {
  svcAddr: 'http://127.0.0.1:8090',
  token: 'svc_dt_1',
  operation: 'process',
  device: 'mock',
  caFingerprint: PIN,
}
const PLACE = { cwd: '/tmp/somewhere', home: '/home/nobody' }

function check(changes: GivenFlags, env: Record<string, string> = {}) {
  return checkAccess(readDriverSettings({ flags: { ...GOOD, ...changes }, env }), PLACE)
}

test('checkAccess() normalizes what it accepts', () => {
  const colons = Array(32).fill('AB').join(':')
  const svcAddr = 'https://lab.example/svc/, http://10.0.0.5:8090,https://lab.example/svc'
  expect(check({ svcAddr, caFingerprint: colons })).toEqual({
    addresses: ['https://lab.example/svc', 'http://10.0.0.5:8090'],
    token: 'svc_dt_1',
    caFile: '/tmp/somewhere/bin/svc.ca.pem',
    pin: PIN,
    reasons: [],
  })
})

const BAD: [GivenFlags, string][] = [
  [
    { svcAddr: 'lab.example:8090' },
    'bad value for --svc-addr: "lab.example:8090"; expected an http or https address',
  ],
  [
    { svcAddr: 'ftp://lab.example' },
    'bad value for --svc-addr: "ftp://lab.example"; expected an http or https address',
  ],
  [
    { svcAddr: 'http://me:secret@lab.example' },
    'bad value for --svc-addr: use only scheme, host, port and path',
  ],
  [
    { svcAddr: 'http://127.0.0.1:1,lab.example:8090' },
    'bad value for --svc-addr: item 2 ("lab.example:8090"): expected an http or https address',
  ],
  [
    { svcAddr: 'http://127.0.0.1:1,http://me:secret@lab.example' },
    'bad value for --svc-addr: item 2: use only scheme, host, port and path',
  ],
  [{ token: '' }, 'missing required option --token (or SVC_ACCESS_TOKEN)'],
  [{ caFingerprint: '' }, 'missing required option --ca-fingerprint (or SVC_CA_FINGERPRINT)'],
  [{ caFingerprint: 'abc' }, 'bad value for --ca-fingerprint: "abc" is not a SHA-256 fingerprint'],
  [{ caFile: '/etc/ssl/ca.pem' }, `bad value for --ca-file: ${notSafe('/etc/ssl/ca.pem')}`],
  [{ caFile: '/tmp/../etc/ca.pem' }, `bad value for --ca-file: ${notSafe('/tmp/../etc/ca.pem')}`],
]

test.each(BAD)('checkAccess() reports %j', (change, reason) => {
  const { reasons } = check(change)
  expect(reasons).toHaveLength(1)
  expect(reasons[0]).toStartWith(reason)
})

test('checkAccess() reports every error at once', () => {
  expect(check({ svcAddr: 'x', token: '', caFingerprint: 'x', caFile: '/' }).reasons).toHaveLength(4)
})

test('checkAccess() reads the token from a file, unless the command line contains one', () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'token')
  writeFileSync(file, 'svc_dt_stored\n')
  const env = { SVC_ACCESS_TOKEN: 'svc_dt_variable' }
  const found = [
    check({ token: undefined, tokenFile: file }, env),
    check({ token: undefined }, { ...env, SVC_ACCESS_TOKEN_FILE: file }),
    check({ tokenFile: file }, env),
  ]
  expect(found.map(({ token, reasons }) => [token, ...reasons])).toEqual([
    ['svc_dt_stored'],
    ['svc_dt_stored'],
    ['svc_dt_1'],
  ])
})

test.each([
  ['', 'does not contain a token'],
  ['two words', 'does not contain a token'],
  [undefined, 'there is no such file or folder'],
])('checkAccess() reports a token file with %p', (content, reason) => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'token')
  if (content !== undefined) writeFileSync(file, content)
  const { reasons } = check({ token: undefined, tokenFile: file })
  expect(reasons).toHaveLength(1)
  expect(reasons[0]).toStartWith('bad value for --token-file: ')
  expect(reasons[0]).toContain(reason)
})

test('checkAccess() names the variable that contains an invalid value', () => {
  const { reasons } = check({ svcAddr: undefined }, { SVC_ADDR: 'lab' })
  expect(reasons).toEqual([
    'bad value for SVC_ADDR: "lab"; expected an http or https address such as http://127.0.0.1:8090',
  ])
})

test('readDriverSettings() reads the variables of the specification, which flags override', () => {
  const env = {
    SVC_ADDR: 'http://lab.example',
    SVC_ACCESS_TOKEN: 'svc_dt_2',
    SVC_DEVICE: 'aer_sim',
    SVC_CA_FILE: '/tmp/ca.pem',
    SVC_CA_FINGERPRINT: PIN,
    SVC_DATA_DIR: '/tmp/data',
  }
  const { values, problems } = readDriverSettings({
    flags: { operation: 'process', device: 'mock', option: ['seed=1', 'seed=2'] },
    env,
  })
  expect(problems).toEqual([])
  expect(values).toMatchObject({
    operation: 'process',
    device: 'mock',
    option: ['seed=1', 'seed=2'],
    svcAddr: ['http://lab.example'],
    token: 'svc_dt_2',
    caFile: '/tmp/ca.pem',
    caFingerprint: PIN,
    dataDir: '/tmp/data',
  })
})
