import { type Attack, defineAttacks, type Target } from '../attack.ts'

const USERS = '/api/collections/users/records'
const CLOSED = '/api/collections/qpus/records'
const MIB = 1024 * 1024
const BOUNDARY = 'attack'
/** A form of more fields than this is refused. */
const FIELDS = 1_000
const REFUSED = [400, 403, 413, 429]

/** `count` different names, or as many as fit into `bytes`, as a URL-encoded form. */
function encoded(count: number): string {
  return Array.from({ length: count }, (_, at) => `n${at.toString(36)}=1`).join('&')
}

function multipart(count: number): string {
  const part = (at: number) =>
    `--${BOUNDARY}\r\ncontent-disposition: form-data; name="n${at.toString(36)}"\r\n\r\n1\r\n`
  return `${Array.from({ length: count }, (_, at) => part(at)).join('')}--${BOUNDARY}--\r\n`
}

const TYPES = {
  'URL-encoded': 'application/x-www-form-urlencoded',
  multipart: `multipart/form-data; boundary=${BOUNDARY}`,
}

interface FormAttack {
  name: string
  input: string
  cap: string
  body: () => string
  type?: keyof typeof TYPES
  path?: string
  expect?: readonly number[]
  token?: (target: Target) => string | undefined
}

function form({
  name,
  input,
  cap,
  body,
  type = 'URL-encoded',
  path = USERS,
  expect = REFUSED,
  token,
}: FormAttack): Attack {
  return {
    ...{ name, who: token ? 'user' : 'guest', input, cap, finding: 1, expect },
    prepare(target) {
      const text = body()
      const by = token?.(target)
      return () => target.send({ path, body: text, headers: { 'content-type': TYPES[type] }, token: by })
    },
  }
}

/** Forms of many names, which were looked up one by one. */
export const forms = defineAttacks([
  form({
    name: 'form-names',
    input: 'URL-encoded form of 50,000 names (about 300 KB)',
    cap: '1,000 fields',
    body: () => encoded(50_000),
  }),
  form({
    name: 'form-names-at-cap',
    input: 'URL-encoded form of 1,000 names',
    cap: '1,000 fields',
    body: () => encoded(FIELDS),
  }),
  form({
    name: 'form-names-1-mib',
    input: 'URL-encoded form of 1 MiB of names',
    cap: '256 KiB for guests',
    body: () => encoded(180_000).slice(0, MIB),
  }),
  form({
    name: 'form-names-multipart',
    input: 'multipart form of 12,000 names (about 900 KB)',
    cap: '1,000 fields',
    type: 'multipart',
    body: () => multipart(12_000),
  }),
  form({
    name: 'form-names-closed',
    input: 'the form of 50,000 names to a collection that is closed to guests',
    cap: 'refused without reading the body',
    path: CLOSED,
    body: () => encoded(50_000),
  }),
  form({
    name: 'form-one-name',
    input: 'URL-encoded form that repeats one name 100,000 times',
    cap: '1,000 fields',
    body: () => Array.from({ length: 100_000 }, () => 'email=a').join('&'),
  }),
  form({
    name: 'form-names-user',
    input: 'URL-encoded form of 16 MiB of names from a user',
    cap: '1 MiB for users',
    path: '/api/collections/quantum_jobs/records',
    body: () => encoded(1_500_000).slice(0, 8 * MIB),
    token: ({ seeded }) => seeded.attackers[0]?.token,
  }),
  form({
    name: 'form-json-part',
    input: 'URL-encoded form whose @jsonPayload has 100,000 keys',
    cap: '500 keys of an object for guests',
    body: () =>
      `@jsonPayload=${encodeURIComponent(`{${Array.from({ length: 50_000 }, (_, at) => `"k${at}":1`).join(',')}}`)}`.slice(
        0,
        MIB,
      ),
  }),
])
