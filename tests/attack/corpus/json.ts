import { type Attack, defineAttacks, type Target } from '../attack.ts'

const SIGN_UP = '/api/collections/users/records'
const LOGIN = '/api/collections/users/auth-with-password'
const SUBMIT = '/api/jobs'
const MIB = 1024 * 1024
const USER_BYTES = Math.floor(12.5 * MIB)
const GUEST_BYTES = 1_000_000
const REFUSED = [400, 401, 403, 413, 422, 429, 503]

interface JsonAttack {
  name: string
  input: string
  cap: string
  who: 'guest' | 'user'
  path?: string
  body: () => string
  finding?: number
  expect?: readonly number[]
}

function json({ name, input, cap, who, path, body, finding, expect = REFUSED }: JsonAttack): Attack {
  const to = path ?? (who === 'guest' ? SIGN_UP : SUBMIT)
  return {
    ...{ name, who, input, cap, expect },
    ...(finding === undefined ? {} : { finding }),
    prepare(target: Target) {
      const text = body()
      const token = who === 'user' ? target.seeded.attackers[0]?.token : undefined
      return () => target.send({ path: to, body: text, token })
    },
  }
}

/** An object of `count` keys. */
const keys = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"k${at.toString(36)}":1`).join(',')}}`

/** An object of `count` keys of 60 characters. */
const longKeys = (count: number) =>
  `{${Array.from({ length: count }, (_, at) => `"${'k'.repeat(54)}${at}":1`).join(',')}}`

/** JSON whose cost is not its size. */
export const jsonBodies = defineAttacks([
  json({
    name: 'json-keys-user',
    input: 'an object of 1.3 million keys (12.6 MB)',
    cap: '500 keys of an object, 1,000 for users',
    who: 'user',
    finding: 4,
    body: () => keys(1_300_000),
  }),
  json({
    name: 'json-keys-guest',
    input: 'an object of 90,000 keys (900 KB)',
    cap: '500 keys of an object, 1,000 for users',
    who: 'guest',
    finding: 4,
    body: () => keys(90_000),
  }),
  json({
    name: 'json-keys-login',
    input: 'the same to the login',
    cap: '500 keys of an object, 1,000 for users',
    who: 'guest',
    path: LOGIN,
    finding: 4,
    body: () => keys(90_000),
  }),
  json({
    name: 'json-keys-at-cap',
    input: '8 objects of 499 keys (250 KB)',
    cap: '256 KiB, 500 keys per object for guests',
    who: 'guest',
    body: () => `{"a":[${Array.from({ length: 8 }, () => longKeys(499)).join(',')}]}`,
  }),
  json({
    name: 'json-record-at-cap',
    input: 'a record of 1 MiB with 40,000 texts',
    cap: '1 MiB for users',
    who: 'user',
    path: '/api/collections/time_slots/records',
    body: () => `{"qpu":[${Array.from({ length: 40_000 }, (_, at) => `"text ${at} of it"`).join(',')}]}`,
  }),
  json({
    name: 'json-texts-at-cap',
    input: 'a submission of 12 MB with 49,000 texts',
    cap: '50,000 texts for users',
    who: 'user',
    body: () =>
      `{"circuits":[${Array.from({ length: 49_000 }, (_, at) => `"${'x'.repeat(240)}${at}"`).join(',')}]}`,
  }),
  json({
    name: 'json-keys-nested',
    input: '12 MB of objects with 900 keys each',
    cap: '50,000 texts, keys and objects for users',
    who: 'user',
    finding: 4,
    body: () => `{"circuits":[${Array.from({ length: 1_400 }, () => keys(900)).join(',')}]}`,
  }),
  json({
    name: 'json-values',
    input: '2 million numbers in lists',
    cap: '2 million values',
    who: 'user',
    body: () =>
      `{"circuits":[{"circuit":"OPENQASM 3.0;","parameter_values":[[${'1,'.repeat(1_990_000)}1]]}]}`,
  }),
  json({
    name: 'json-deep',
    input: '1 MB of open brackets',
    cap: '32 levels',
    who: 'guest',
    body: () => '['.repeat(GUEST_BYTES),
  }),
  json({
    name: 'json-deep-at-cap',
    input: '30,000 lists of 30 levels',
    cap: '32 levels',
    who: 'guest',
    body: () => `{"a":[${Array.from({ length: 16_000 }, () => '['.repeat(30) + ']'.repeat(30)).join(',')}]}`,
  }),
  json({
    name: 'json-long-number',
    input: 'a number of 1 MB',
    cap: '256 KiB for guests',
    who: 'guest',
    body: () => `{"a":${'9'.repeat(GUEST_BYTES)}}`,
  }),
  json({
    name: 'json-long-number-user',
    input: 'a number of 12 MB with a decimal point',
    cap: '16 MiB for users',
    who: 'user',
    body: () => `{"shots":0.${'3'.repeat(USER_BYTES)}}`,
  }),
  json({
    name: 'json-long-string',
    input: 'a text of 12 MB in a short field',
    cap: '16 MiB for users',
    who: 'user',
    body: () => `{"qpu_target":"${'x'.repeat(USER_BYTES)}"}`,
  }),
  json({
    name: 'json-escapes',
    input: 'a text of 12 MB of escapes',
    cap: '16 MiB for users',
    who: 'user',
    body: () => `{"circuit":"${'\\u0041'.repeat(Math.floor(USER_BYTES / 6))}"}`,
  }),
  json({
    name: 'json-backslashes',
    input: 'a text of 1 MB of backslashes without its end',
    cap: '256 KiB for guests',
    who: 'guest',
    body: () => `{"a":"${'\\"'.repeat(GUEST_BYTES / 2)}`,
  }),
  json({
    name: 'json-white-space',
    input: '12 MB of spaces',
    cap: '16 MiB for users',
    who: 'user',
    body: () => `{${' '.repeat(USER_BYTES)}}`,
  }),
  json({
    name: 'json-prototype',
    input: '60,000 times the key __proto__',
    cap: '500 keys of an object, 1,000 for users',
    who: 'guest',
    body: () => `{${Array.from({ length: 60_000 }, () => '"__proto__":{}').join(',')}}`,
  }),
  json({
    name: 'json-unknown-fields',
    input: '900 unknown fields of a submission',
    cap: '500 keys of an object, 1,000 for users',
    who: 'user',
    expect: [...REFUSED, 201],
    body: () => `{"circuit":"OPENQASM 3.0; qubit q;",${keys(900).slice(1)}`,
  }),
])
