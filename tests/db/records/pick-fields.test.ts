import { describe, expect, test } from 'bun:test'
import { pickFields } from '../../../src/db/records/pick-fields.ts'

const RECORD = {
  id: 'r1',
  title: 'Hello',
  tags: [
    { name: 'a', size: 1 },
    { name: 'b', size: 2 },
  ],
  expand: {
    user: { id: 'u1', name: 'Ann', expand: { qpu: { id: 'q1', name: 'Q' } } },
    jobs: [{ id: 'j1' }, { id: 'j2' }],
  },
  none: null,
}

describe('pickFields()', () => {
  const cases: [fields: string, picked: unknown][] = [
    ['', RECORD],
    ['  ', RECORD],
    ['id', { id: 'r1' }],
    [' id , title ', { id: 'r1', title: 'Hello' }],
    ['nothing', {}],
    ['id.deeper', { id: 'r1' }],
    ['*', RECORD],
    ['*,expand.user.name', { ...RECORD, expand: { user: { name: 'Ann' } } }],
    ['tags.name', { tags: [{ name: 'a' }, { name: 'b' }] }],
    ['expand.user.expand.qpu.name', { expand: { user: { expand: { qpu: { name: 'Q' } } } } }],
    ['expand.jobs.id', { expand: { jobs: [{ id: 'j1' }, { id: 'j2' }] } }],
    ['expand.*.id', { expand: { user: { id: 'u1' }, jobs: [{ id: 'j1' }, { id: 'j2' }] } }],
    ['none.x', { none: null }],
    ['title:excerpt(2)', { title: 'He' }],
    ['title:excerpt(2,true),id', { title: 'He...', id: 'r1' }],
    ['title:excerpt(9, true)', { title: 'Hello' }],
    ['tags:excerpt(2)', { tags: RECORD.tags }],
    ['constructor,__proto__.x', {}],
  ]
  for (const [fields, picked] of cases) {
    test(`"${fields}"`, () => expect(pickFields(RECORD, fields)).toEqual(picked))
  }

  test('preserves the envelope of a list and selects inside its items', () => {
    const list = { page: 1, perPage: 30, totalItems: 1, totalPages: 1, items: [RECORD] }
    expect(pickFields(list, 'id')).toEqual({ ...list, items: [{ id: 'r1' }] })
  })

  test('does not treat a response with items only as a list', () => {
    expect(pickFields({ items: [RECORD], total: 3 }, 'total')).toEqual({ total: 3 })
  })

  test('picks inside bare arrays', () => {
    expect(pickFields([RECORD, 5], 'id')).toEqual([{ id: 'r1' }, 5])
  })

  test('keeps an own key __proto__ an own key', () => {
    const picked = pickFields(JSON.parse('{"__proto__": {"admin": true}, "a": 1}'), '*')
    expect(Object.keys(Object(picked))).toEqual(['__proto__', 'a'])
    expect(Object(picked).admin).toBeUndefined()
  })

  const bad = [
    'title:upper(3)',
    'title:excerpt(0)',
    'title:excerpt(x)',
    'title:excerpt()',
    'title:excerpt',
    'a(b',
    'x'.repeat(3_501),
  ]
  for (const fields of bad) {
    test(`rejects "${fields.slice(0, 20)}"`, () =>
      expect(() => pickFields(RECORD, fields)).toThrow(/fields|excerpt|modifier/))
  }

  test('excerpt() strips tags, scripts and entities, collapses blanks and counts characters', () => {
    const html = '<h1>A&amp;B</h1>\n <script>x</script><p class="c">one <b>t</b>wo 🎉🎉</p><!-- no -->'
    expect(pickFields({ html }, 'html:excerpt(100)')).toEqual({ html: 'A&B one two 🎉🎉' })
    expect(pickFields({ html }, 'html:excerpt(13,true)')).toEqual({ html: 'A&B one two 🎉...' })
    expect(pickFields({ html: 'a < b > c' }, 'html:excerpt(100)')).toEqual({ html: 'a < b > c' })
  })

  test('excerpt() reads 20,000 characters of a text, so that a hostile one does not take hours', () => {
    const excerpt = (text: string) => pickFields({ text }, 'text:excerpt(3)')
    expect(excerpt(`${'<br>'.repeat(4_999)}end`)).toEqual({ text: 'end' })
    expect(excerpt(`${'<br>'.repeat(5_000)}end`)).toEqual({ text: '' })
    for (const part of ['<script>', '<!--', '<a ', '&amp']) excerpt(part.repeat(2_000_000))
  })
})
