import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { complete } from '../../../../ui/admin/filter/completion.ts'
import { unknownName } from '../../../../ui/admin/filter/problem.ts'
import { names } from '../names.ts'

/** The choices at the mark `|` of a filter that begin with the word there; the editor shows those first. */
function at(marked: string): string[] {
  const caret = marked.indexOf('|')
  const filter = marked.replace('|', '')
  const { from, options } = complete(filter, caret, names)
  return options.map(({ label }) => label).filter((label) => label.startsWith(filter.slice(from, caret)))
}

describe('completion', () => {
  test('offers fields, then paths through relations, then the records that refer to one', () => {
    expect(at('|').slice(0, 4)).toEqual(['id', 'user', 'qpu', 'guests'])
    expect(at('start > @now && us|')).toEqual(
      ['user', 'user.id', 'user.email', 'user.qpu_seconds', 'user.disabled'].filter(
        (each) => each !== 'user.id',
      ),
    )
    const fields = ['id', 'email', 'qpu_seconds', 'disabled']
    const referring = ['time_slots_via_user.', 'time_slots_via_guests.']
    expect(at('user.|')).toEqual([...fields, ...referring].map((each) => `user.${each}`))
    expect(at('user.qpu|')[0]).toBe('user.qpu_seconds')
    expect(at('qpu.time_s|')).toEqual(['qpu.time_slots_via_qpu.'])
    expect(at('user.password|')).toEqual([])
    expect(at('notes.any.|')).toEqual([])
  })

  test('offers operators behind a name, and those over several values where they make sense', () => {
    expect(at('start |')).toEqual(['=', '!=', '>', '>=', '<', '<=', '~', '!~'])
    expect(at('start >|')).toEqual(['>', '>='])
    expect(at('guests.email ?|')).toContain('?=')
  })

  test('offers the values of choices, yes and no, and times', () => {
    expect(at('kind = |')).toEqual(['"own"', '"shared"', '""'])
    expect(at('kind = "sh|')).toEqual(['"shared"'])
    expect(at("kind = 'sh|")).toEqual(["'shared'"])
    expect(at('qpu.status = |')).toEqual(['"offline"', '"online"'])
    expect(at('user.disabled = t|')[0]).toBe('true')
    expect(at('start > |')).toContain('@todayStart')
    expect(at('start > @y|')).toEqual(['@yesterday', '@yearStart', '@yearEnd', '@year'])
    expect(at('kind ~ |')).toEqual([])
    expect(at('kind = "own" // |')).toEqual([])
  })

  test('offers && and || behind a comparison, and fields again behind a bracket', () => {
    expect(at('kind = "own" |')).toEqual(['&&', '||'])
    expect(at('(kind = "own") |')).toEqual(['&&', '||'])
    expect(at('kind = "own" && (|')[0]).toBe('id')
    expect(at('guests:len|')).toEqual(['guests:length'])
  })

  test('says what is replaced: the whole word at the caret', () => {
    expect(complete('kind = "own" && sta > 1', 18, names)).toMatchObject({ from: 16, to: 19 })
  })

  test('fails for no text and no caret, and its fields exist', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(50), (text, caret) => {
        const { from, to } = complete(text, Math.min(caret, text.length), names)
        expect(from).toBeLessThanOrEqual(to)
        expect(to).toBeLessThanOrEqual(text.length)
      }),
    )
    for (const text of [...at('|'), ...at('user.|')].filter((each) => !each.endsWith('('))) {
      const path = text.endsWith('.') ? `${text}id` : text
      expect([path, unknownName(`${path} = 1`, names)]).toEqual([path, undefined])
    }
  })

  test('puts a space behind what ends the filter, unless a name or an argument follows', () => {
    const applied = (filter: string, caret: number) =>
      complete(filter, caret, names).options.map(({ apply, label }) => apply ?? label)
    expect(applied('us', 2)).toEqual(expect.arrayContaining(['user ', 'user.email ', 'strftime(']))
    expect(applied('user.', 5)).toContain('user.time_slots_via_user.')
    expect(applied('us = 1', 2)).toContain('user')
  })
})
