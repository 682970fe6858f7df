import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parse, stringify } from 'yaml'
import { isSameContent, type Leaf, withLeaves } from '../../../../src/devices/chip/write-back/content.ts'
import { editYaml } from '../../../../src/devices/chip/write-back/edit-yaml.ts'
import { numberText } from '../../../../src/devices/chip/write-back/number-text.ts'

const leaf = (path: string, value: Leaf['value']): Leaf => ({ path: path.split('.'), value })
/** All passes at once. */
function editWhole(text: string, leaves: readonly Leaf[]): string {
  const editing = editYaml(text, leaves)
  for (;;) {
    const { done, value } = editing.next()
    if (done) return value
  }
}
const edit = (text: string, ...leaves: Leaf[]) => editWhole(text, leaves)

describe('the edit of a file', () => {
  test.each([
    ['a scalar', 'q0:\n  a: 1   # one\n  b: 2\n', [leaf('q0.a', 0.5)], 'q0:\n  a: 0.5   # one\n  b: 2\n'],
    [
      'a scalar in flow style',
      'q0: {a: 300e-9 , b: 0x1F}',
      [leaf('q0.a', 3e-7)],
      'q0: {a: 3.0e-7 , b: 0x1F}',
    ],
    ['JSON', '{"q0":{"a":1}}', [leaf('q0.a', 2), leaf('q0.b', 3)], '{"q0":{"a":2.0, b: 3.0}}'],
    [
      'an empty value',
      'q0:\n  a:\n  b: # later\n',
      [leaf('q0.a', 1), leaf('q0.b', 2)],
      'q0:\n  a: 1.0\n  b: 2.0 # later\n',
    ],
    ['an empty value in flow style', 'q0: {a: , b}', [leaf('q0.a', 1)], 'q0: {a: 1.0, b}'],
    [
      'a number with underscores beside another',
      'q0: {a: 4_420_000_000, b: 4_200_000_000}',
      [leaf('q0.a', 4.5e9)],
      'q0: {a: 4.5e+9, b: 4_200_000_000}',
    ],
    ['a quoted number', 'q0: {a: "4.8e9"}', [leaf('q0.a', 4.9e9)], 'q0: {a: 4.9e+9}'],
    ['a value that was never measured', 'q0: {a: .nan}', [leaf('q0.a', -1)], 'q0: {a: -1.0}'],
    ['a table', 'q0: {a: [[1, 2]]}', [leaf('q0.a', [[0.5, 1e-9]])], 'q0: {a: [[0.5, 1.0e-9]]}'],
    [
      'a table in block style',
      'q0:\n  a:\n    - - 1\n      - 2\n  b: 1\n',
      [leaf('q0.a', [[3, 4]])],
      'q0:\n  a:\n    [[3.0, 4.0]]\n  b: 1\n',
    ],
    [
      'a missing key',
      'q0:\n  a: 1 # one\n\nq1: {}\n',
      [leaf('q0.b', 2), leaf('q0.c', 3)],
      'q0:\n  a: 1 # one\n  b: 2.0\n  c: 3.0\n\nq1: {}\n',
    ],
    [
      'a missing key after a block',
      'q0:\n  m:\n    x: 1\n  # end\nq1: {}\n',
      [leaf('q0.m.y', 2), leaf('q0.n.z', 3)],
      'q0:\n  m:\n    x: 1\n    y: 2.0\n  n: {z: 3.0}\n  # end\nq1: {}\n',
    ],
    [
      'a missing submodule, twice',
      'q0: {}\n',
      [leaf('q0.m.x', 1), leaf('q0.m.y', 2)],
      'q0: {m: {x: 1.0, y: 2.0}}\n',
    ],
    ['an empty submodule', 'q0:\n  m:\n', [leaf('q0.m.x', 1)], 'q0:\n  m: {x: 1.0}\n'],
    ['a file without a last newline', 'q0:\n  a: 1', [leaf('q0.b', 2)], 'q0:\n  a: 1\n  b: 2.0'],
    [
      'lines of another system',
      'q0:\r\n  a: 1\r\nq1: {}\r\n',
      [leaf('q0.b', 2)],
      'q0:\r\n  a: 1\r\n  b: 2.0\r\nq1: {}\r\n',
    ],
    ['a byte order mark', '\uFEFFq0: {a: 1}', [leaf('q0.a', 2)], '\uFEFFq0: {a: 2.0}'],
    ['a value that is an alias', 'd: &x 1\nq0: {a: *x}\n', [leaf('q0.a', 2)], 'd: &x 1\nq0: {a: 2.0}\n'],
    [
      'a value that others share',
      'q0: {a: &x 0x1}\nq1: {a: *x}\n',
      [leaf('q0.a', 2)],
      'q0: {a: &x 2.0}\nq1: {a: 0x1}\n',
    ],
    [
      'a shared submodule',
      'q0: {m: &r {a: 1e-6, b: 2}}\nq1: {m: *r}\nq2: {m: *r}\n',
      [leaf('q1.m.a', 3)],
      'q0: {m: &r {a: 1e-6, b: 2}}\nq1: {m: {a: 3.0, b: 2}}\nq2: {m: *r}\n',
    ],
    [
      'a submodule that others share',
      'q0: {m: &r {a: 1e-6}}\nq1: {m: *r}\nq2: {<<: {m: *r}}\n',
      [leaf('q0.m.a', 3)],
      'q0: {m: &r {a: 3.0}}\nq1: {m: {a: 1e-6}}\nq2: {<<: {m: {a: 1e-6}}}\n',
    ],
    [
      'a merged value',
      'q0: {m: &r {a: 1, b: 2}}\nq1:\n  m:\n    <<: *r\n    b: 3\n',
      [leaf('q1.m.a', 4)],
      'q0: {m: &r {a: 1, b: 2}}\nq1:\n  m:\n    <<: *r\n    b: 3\n    a: 4.0\n',
    ],
    [
      'a value in a merged submodule',
      'd: &d {m: {a: 1, b: 2}}\nq1:\n  <<: [*d]\n',
      [leaf('q1.m.a', 4)],
      'd: &d {m: {a: 1, b: 2}}\nq1:\n  <<: [*d]\n  m: {a: 4.0, b: 2}\n',
    ],
    [
      'a map that others merge',
      'q0: &d\n  a: 1 # mine\nq1:\n  <<: *d\n',
      [leaf('q0.a', 4)],
      'q0: &d\n  a: 4.0 # mine\nq1:\n  <<: {a: 1}\n',
    ],
  ])('changes %s', (_name, before, leaves, after) => {
    const edited = editWhole(before, leaves)
    expect(edited).toBe(after)
    const options = { merge: true }
    expect(isSameContent(parse(edited, options), withLeaves(parse(before, options), leaves))).toBe(true)
  })

  test('is refused where it would change something else', () => {
    expect(() => edit('q0: 3', leaf('q0.a', 1))).toThrow('not names with values')
    expect(() => edit('q0: {a: !!int 3}', leaf('q0.a', 1.5))).toThrow()
    expect(() => edit('q0: [', leaf('q0.a', 1))).toThrow('line 1')
    expect(() => edit('q0: {a: 1}', leaf('q0.a', Number.NaN))).toThrow('NaN cannot be a value')
  })

  test('changes only its leaves, whatever the file', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd')
    const number = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 })
    const submodule = fc.dictionary(
      name,
      fc.oneof(number, fc.constant(Number.NaN), fc.constant('x: y, #z')),
      { noNullPrototype: true, maxKeys: 4 },
    )
    const element = fc.dictionary(name, submodule, { noNullPrototype: true, maxKeys: 3 })
    const chip = fc.dictionary(name, element, { noNullPrototype: true, minKeys: 1, maxKeys: 3 })
    const changes = fc.array(fc.tuple(name, name, number), { minLength: 1, maxLength: 6 })
    const style = fc.record({ flow: fc.boolean(), shared: fc.boolean(), comments: fc.boolean() })
    fc.assert(
      fc.property(chip, changes, style, (content, drawn, { flow, shared, comments }) => {
        const names = Object.keys(content)
        // The last element shares a submodule with the first.
        const [first = '', last = ''] = [names[0], names.at(-1)]
        if (shared) content[last] = { ...content[last], a: content[first]?.['a'] ?? {} }
        const plain = stringify(content, { collectionStyle: flow ? 'flow' : 'block', lineWidth: 0 })
        const before =
          comments && !flow
            ? plain.replaceAll('\n', ' # remark\n\n').replaceAll(/^(.*[\]}"]) # remark$/gm, '$1')
            : plain
        const leaves = [
          ...new Map(
            drawn.map(([sub, key, value], at) => {
              const path = [names[at % names.length] ?? '', sub, key]
              return [path.join('.'), { path, value }]
            }),
          ).values(),
        ]
        const after = editWhole(before, leaves)
        expect(
          isSameContent(parse(after, { merge: true }), withLeaves(parse(before, { merge: true }), leaves)),
        ).toBe(true)
        // Every line that remains whole is a line of the file before; the rest holds a new value.
        const known = new Set(before.split('\n'))
        const fresh = after.split('\n').filter((line) => !known.has(line))
        if (!(flow || shared)) expect(fresh.length).toBeLessThanOrEqual(leaves.length)
      }),
      { numRuns: 120, seed: 14 },
    )
  })
})

describe('the text of a number', () => {
  test('has a point and a signed exponent, for readers of YAML 1.1', () => {
    const numbers = [0, -0, 1, -12, 0.4931, 4.7355e9, 3e-7, 200e-6, 1e21, -1e-300, 123456, 0.1 + 0.2]
    expect(numbers.map(numberText)).toEqual([
      ...['0.0', '0.0', '1.0', '-12.0', '0.4931', '4.7355e+9', '3.0e-7', '2.0e-4', '1.0e+21', '-1.0e-300'],
      ...['123456.0', '0.30000000000000004'],
    ])
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => numberText(bad)).toThrow(RangeError)
  })

  test('reads back as the same number, in YAML 1.2 and by the pattern of YAML 1.1', () => {
    // The pattern of floats in PyYAML 6 (resolver.py), without its sexagesimal and special forms.
    const FLOAT_1_1 = /^[-+]?(?:[0-9][0-9_]*)\.[0-9_]*(?:[eE][-+][0-9]+)?$/
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = numberText(value)
        expect(text).toMatch(FLOAT_1_1)
        expect(Number(text) === value && parse(text) === value).toBe(true)
      }),
      { numRuns: 300, seed: 14 },
    )
  })
})
