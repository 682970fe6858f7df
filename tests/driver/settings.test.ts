import { expect, test } from 'bun:test'
import { type DriverSettings, readAccess } from '../../src/driver/settings.ts'

const PIN = 'ab'.repeat(32)
const GOOD: DriverSettings = {
  svcAddr: 'http://127.0.0.1:8090',
  token: 'svc_dt_1',
  operation: 'process',
  device: 'mock',
  caFile: './bin/svc.ca.pem',
  caFingerprint: PIN,
  dataDir: './bin/data',
  optionPairs: [],
}
const PLACE = { cwd: '/tmp/somewhere', home: '/home/nobody' }

test('readAccess() normalises what it accepts', () => {
  const colons = Array(32).fill('AB').join(':')
  expect(readAccess({ ...GOOD, svcAddr: 'https://lab.example/svc/', caFingerprint: colons }, PLACE)).toEqual({
    svcAddr: 'https://lab.example/svc',
    token: 'svc_dt_1',
    caFile: '/tmp/somewhere/bin/svc.ca.pem',
    pin: PIN,
    reasons: [],
  })
})

const BAD: [Partial<DriverSettings>, string][] = [
  [
    { svcAddr: 'lab.example:8090' },
    'bad value for --svc-addr: "lab.example:8090" is not an http or https address',
  ],
  [
    { svcAddr: 'ftp://lab.example' },
    'bad value for --svc-addr: "ftp://lab.example" is not an http or https address',
  ],
  [
    { svcAddr: 'http://me:secret@lab.example' },
    'bad value for --svc-addr: use only scheme, host, port and path',
  ],
  [{ token: '' }, 'missing required option --token (or SVC_ACCESS_TOKEN)'],
  [{ caFingerprint: '' }, 'missing required option --ca-fingerprint (or SVC_CA_FINGERPRINT)'],
  [{ caFingerprint: 'abc' }, 'bad value for --ca-fingerprint: "abc" is not a SHA-256 fingerprint'],
  [{ caFile: '/etc/ssl/ca.pem' }, 'bad value for --ca-file: /etc/ssl/ca.pem is not in a safe location'],
  [{ caFile: '/tmp/../etc/ca.pem' }, 'bad value for --ca-file: /tmp/../etc/ca.pem is not in a safe location'],
]

test.each(BAD)('readAccess() complains about %j', (change, reason) => {
  const { reasons } = readAccess({ ...GOOD, ...change }, PLACE)
  expect(reasons).toHaveLength(1)
  expect(reasons[0]).toStartWith(reason)
})

test('readAccess() reports everything at once', () => {
  const { reasons } = readAccess({ ...GOOD, svcAddr: 'x', token: '', caFingerprint: 'x', caFile: '/' }, PLACE)
  expect(reasons).toHaveLength(4)
})
