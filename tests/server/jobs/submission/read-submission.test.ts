import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import * as v from 'valibot'
import { AppError } from '../../../../src/base/index.ts'
import { jobPayload } from '../../../../src/protocol/index.ts'
import { executionsOf, readSubmission } from '../../../../src/server/jobs/submission/read-submission.ts'

const TEXT = 'OPENQASM 3.0;'

function refusal(body: unknown): AppError {
  try {
    readSubmission(body)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('was accepted')
}

const fieldsOf = (body: unknown) => Object.keys(refusal(body).fields)

describe('readSubmission()', () => {
  test('fills in every default', () => {
    expect(readSubmission({ circuits: [{ circuit: TEXT }] })).toEqual({
      payload: {
        circuits: [{ circuit: TEXT }],
        shots: 1_024,
        meas_level: 2,
        meas_return: 'single',
        memory: false,
      },
      ...{ target: '', session: '', maxMs: 0, giveUpMs: 0, name: '', tags: [], labels: '' },
      text: expect.stringContaining('"shots":1024'),
      ignored: [],
    })
  })

  test('encodes a program in the order of its schema, as drivers receive it', () => {
    const [circuit, shots] = [TEXT, 7]
    const { text } = readSubmission({ seed: 1, circuits: [{ shots, parameter_values: [1, 2], circuit }] })
    expect(text).toStartWith(`{"circuits":[{"circuit":"${TEXT}","parameter_values":[[1,2]],"shots":7}]`)
    expect(JSON.stringify(v.parse(jobPayload, JSON.parse(text)))).toBe(text)
  })

  test('accepts packed memory for bits only', () => {
    const packed = { circuit: TEXT, memory: true, memory_format: 'packed' }
    expect(readSubmission(packed).payload).toMatchObject({ memory: true, memory_format: 'packed' })
    expect(readSubmission({ circuit: TEXT, memory_format: 'hex' }).payload.memory_format).toBe('hex')
    expect(fieldsOf({ ...packed, memory: false })).toEqual(['memory_format'])
    expect(fieldsOf({ ...packed, meas_level: 1 })).toEqual(['memory_format'])
    expect(fieldsOf({ ...packed, memory_format: 'base64' })).toEqual(['memory_format'])
  })

  const forms: [string, Record<string, unknown>, object][] = [
    ['an entry that is the program itself', { circuits: [TEXT] }, { circuit: TEXT }],
    ['the older name qasm', { circuits: [{ qasm: TEXT }] }, { circuit: TEXT }],
    ['the older name circuit_qasm', { circuits: [{ circuit_qasm: TEXT }] }, { circuit: TEXT }],
    ['one program next to the options', { circuit: TEXT }, { circuit: TEXT }],
    [
      'a flat list of values as one set',
      { circuits: [{ circuit: TEXT, parameter_values: [1, 2] }] },
      { circuit: TEXT, parameter_values: [[1, 2]] },
    ],
    [
      'values next to a single circuit',
      { circuits: [{ circuit: TEXT, shots: 7 }], parameter_values: [[1], [2]] },
      { circuit: TEXT, shots: 7, parameter_values: [[1], [2]] },
    ],
    [
      'null and [] as left out',
      {
        circuits: [{ circuit: TEXT, parameter_values: [], shots: null }],
        parameter_values: null,
        seed: null,
      },
      { circuit: TEXT },
    ],
  ]
  for (const [name, body, entry] of forms) {
    test(`accepts ${name}`, () => expect<unknown[]>(readSubmission(body).payload.circuits).toEqual([entry]))
  }

  test("keeps the caller's values and lists the keys that it ignores", () => {
    const options = { shots: 5, meas_level: 1, meas_return: 'avg', memory: true, seed: 3, acq_threshold: 0.5 }
    const { payload, target, ignored } = readSubmission({
      circuits: [TEXT],
      ...options,
      qpu_target: ' kelvin-25 ',
      extensions: { name: 'mine' },
    })
    expect(payload).toMatchObject(options)
    expect(target).toBe('kelvin-25')
    expect(ignored).toEqual(['extensions'])
  })

  const refused: [unknown, string[]][] = [
    [{}, ['circuits']],
    [{ circuits: [] }, ['circuits']],
    [{ circuits: TEXT }, ['circuits']],
    [{ circuits: [{}] }, ['circuits.0.circuit']],
    [{ circuits: [TEXT, 7] }, ['circuits.1']],
    [{ circuits: [TEXT, ''] }, ['circuits.1.circuit']],
    [{ circuits: [TEXT], circuit: TEXT }, ['circuit']],
    [{ circuits: [{ circuit: TEXT, qasm: TEXT }] }, ['circuits.0.qasm']],
    [{ circuits: [{ circuit: TEXT, shot: 5 }] }, ['circuits.0.shot']],
    [{ circuits: [{ circuit: TEXT, shots: 1.5 }] }, ['circuits.0.shots']],
    [{ circuits: [{ circuit: TEXT, parameter_values: [[1], ['x']] }] }, ['circuits.0.parameter_values.1.0']],
    [{ circuits: [TEXT, TEXT], parameter_values: [1] }, ['parameter_values']],
    [{ circuits: [TEXT], shots: 0 }, ['shots']],
    [{ circuits: [TEXT], shots: 1_000_001, seed: -1 }, ['shots', 'seed']],
    [{ circuits: [TEXT], meas_level: 3, meas_return: 'mean' }, ['meas_level', 'meas_return']],
    [{ circuits: [TEXT], qpu_target: 5 }, ['qpu_target']],
    [{ circuits: [TEXT], status: 'completed', user_id: 'x' }, ['status', 'user_id']],
    [{ circuits: [TEXT], shotz: 5, labels: ['a'] }, ['shotz', 'labels']],
    [{ circuits: [{ circuit: TEXT, parameter_values: [[1], 'x'] }] }, ['circuits.0.parameter_values.1']],
    [{ circuits: [{ circuit: TEXT, parameter_values: 5 }] }, ['circuits.0.parameter_values']],
  ]
  for (const [body, fields] of refused) {
    test(`names ${fields.join(' and ')} in ${JSON.stringify(body)}`, () => {
      expect(fieldsOf(body)).toEqual(fields)
    })
  }

  test('suggests the field that was meant, or names the key for extensions', () => {
    const messageOf = (key: string) => refusal({ circuits: [TEXT], [key]: 1 }).fields[key]?.message
    expect(messageOf('shotz')).toBe('shotz is not a field of a job: did you mean shots?')
    expect(messageOf('qpu-target')).toContain('did you mean qpu_target?')
    expect(messageOf('labels')).toContain('goes into extensions')
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`key${at}`, 1]))
    expect(Object.keys(refusal({ circuits: [TEXT], ...many }).fields)).toHaveLength(10)
  })

  test('ignores unknown fields of a stored payload', () => {
    const { ignored, payload } = readSubmission({ circuits: [TEXT], priority: 3 }, { isStored: true })
    expect(ignored).toEqual(['priority'])
    expect(payload).not.toHaveProperty('priority')
  })

  test('limits the values of a set, and returns the text of what it returns', () => {
    const job = (count: number) => ({ circuits: [TEXT], parameter_values: Array<number>(count).fill(0.5) })
    const { payload, text } = readSubmission(job(100_000))
    expect(JSON.parse(text)).toEqual(payload)
    expect(refusal(job(100_001)).fields['circuits.0.parameter_values.0']).toMatchObject({
      code: 'validation_length_too_long',
      params: { max: 100_000 },
    })
  })

  test('refuses more than 300 circuits times parameter sets', () => {
    const sets = Array.from({ length: 151 }, () => [1])
    const error = refusal({ circuits: [TEXT, TEXT].map((circuit) => ({ circuit, parameter_values: sets })) })
    expect(error.fields['circuits']).toMatchObject({
      code: 'too_many_executions',
      params: { executions: 302 },
    })
  })

  test('refuses a payload of more than 10 MiB', () => {
    const circuit = `${TEXT}${' '.repeat(6_000_000)}`
    expect(refusal({ circuits: [circuit, circuit] }).code).toBe('too_large')
  })

  test('throws nothing but AppError, and reads its own output unchanged', () => {
    const entry = fc.oneof(
      fc.string(),
      fc.record(
        { circuit: fc.string(), parameter_values: fc.jsonValue(), shots: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.jsonValue(),
    )
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record(
        {
          circuits: fc.oneof(fc.array(entry), fc.jsonValue()),
          shots: fc.jsonValue(),
          parameter_values: fc.jsonValue(),
        },
        { requiredKeys: [] },
      ),
    )
    fc.assert(
      fc.property(body, (input) => {
        try {
          const { payload, text } = readSubmission(input)
          expect(readSubmission(payload).payload).toEqual(payload)
          expect(executionsOf(payload)).toBeGreaterThan(0)
          // Drivers receive a large payload as it is stored and a small one as its schema orders it.
          expect(JSON.stringify(v.parse(jobPayload, JSON.parse(text)))).toBe(text)
        } catch (error) {
          if (!(error instanceof AppError)) throw error
        }
      }),
    )
  })

  test('reads names and tags apart from the payload', () => {
    const circuits = [
      TEXT,
      { circuit: TEXT, name: 'bell', metadata: { run: 7, of: ['a'] } },
      { circuit: TEXT },
    ]
    const read = readSubmission({ circuits, name: ' sweep ', tags: ['a', 'b', 'a'] })
    expect([read.name, read.tags]).toEqual(['sweep', ['a', 'b']])
    expect(JSON.parse(read.labels)).toEqual([{}, { name: 'bell', metadata: { run: 7, of: ['a'] } }, {}])
    // Drivers of earlier versions refuse a payload with further keys.
    expect(read.payload.circuits).toEqual([{ circuit: TEXT }, { circuit: TEXT }, { circuit: TEXT }])
  })

  test.each<[string, object, string]>([
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['eleven tags', { tags: Array.from({ length: 11 }, (_, n) => `t${n}`) }, 'tags'],
    ['a long tag', { tags: ['fine', 'x'.repeat(65)] }, 'tags.1'],
    ['an empty tag', { tags: [' '] }, 'tags.0'],
    ['tags that are no list', { tags: 'a' }, 'tags'],
    ['a long name of a circuit', { circuits: [{ circuit: TEXT, name: 'x'.repeat(201) }] }, 'circuits.0.name'],
    [
      'metadata that are no object',
      { circuits: [TEXT, { circuit: TEXT, metadata: 'x' }] },
      'circuits.1.metadata',
    ],
    [
      'long metadata',
      { circuits: [{ circuit: TEXT, metadata: { a: 'x'.repeat(4_089) } }] },
      'circuits.0.metadata',
    ],
  ])('refuses %s', (_, body, field) => {
    expect(fieldsOf({ circuits: [TEXT], ...body })).toEqual([field])
  })

  test('accepts names, tags and metadata of the maximum size', () => {
    const tags = Array.from({ length: 10 }, (_, n) => `${n}`.repeat(64))
    const circuits = [{ circuit: TEXT, name: 'x'.repeat(200), metadata: { a: 'x'.repeat(4_088) } }]
    expect(readSubmission({ circuits, name: 'x'.repeat(200), tags }).tags).toHaveLength(10)
  })

  test('the precision of a job is single or left out', () => {
    const read = (precision: string) => readSubmission({ circuits: [TEXT], precision }).payload
    expect(read('single')).toMatchObject({ precision: 'single' })
    // Older drivers refuse it.
    expect(read('double')).not.toHaveProperty('precision')
    expect(fieldsOf({ circuits: [TEXT], precision: 'half' })).toEqual(['precision'])
  })

  test('exact values have no shots, and Pauli sums belong to exact jobs', () => {
    const sums = [{ ZZ: 0.5, XI: -1 }]
    const { payload } = readSubmission({
      circuits: [{ circuit: TEXT, expectation_values: sums }],
      exact: true,
    })
    expect(payload).toMatchObject({ exact: true, circuits: [{ circuit: TEXT, expectation_values: sums }] })
    expect(readSubmission({ circuits: [TEXT], exact: false }).payload).not.toHaveProperty('exact')
    const entry = (more: object) => ({ circuits: [{ circuit: TEXT, ...more }] })
    expect(fieldsOf({ ...entry({ shots: 5 }), exact: true })).toEqual(['circuits.0.shots'])
    expect(fieldsOf({ ...entry({}), shots: 5, memory: true, exact: true })).toEqual(['shots', 'memory'])
    expect(fieldsOf({ ...entry({}), meas_level: 1, exact: true })).toEqual(['meas_level'])
    expect(fieldsOf({ ...entry({}), precision: 'single', exact: true })).toEqual(['precision'])
    expect(fieldsOf(entry({ expectation_values: sums }))).toEqual(['circuits.0.expectation_values'])
    for (const wrong of [[], [{}], [{ ZQ: 1 }], [{ '': 1 }], [{ Z: '1' }], { Z: 1 }])
      expect(fieldsOf({ ...entry({ expectation_values: wrong }), exact: true })[0]).toStartWith(
        'circuits.0.expectation_values',
      )
  })
})
