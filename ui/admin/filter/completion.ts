import { type Field, isList, referencesTo, targetOf } from '../collections/model.ts'
import {
  backName,
  CONSTANTS,
  FUNCTIONS,
  fieldAt,
  fieldsOf,
  follow,
  MACROS,
  MODIFIERS,
  type Names,
} from './names.ts'
import { meaningful, type Piece, piecesOf } from './pieces.ts'

/** A text that may stand here, and what it is. */
export interface Choice {
  text: string
  detail: string
}

/** What may replace the characters from `from` to `to`, counted from 0. */
export interface Completion {
  from: number
  to: number
  choices: Choice[]
}

/** Enough to scroll through; more would hide the page. */
const MAX_CHOICES = 40
/** Relations are followed at once while so few names fit. */
const FEW = 3

const OPERATORS: readonly Choice[] = [
  { text: '=', detail: 'equals' },
  { text: '!=', detail: 'differs' },
  { text: '>', detail: 'above, after' },
  { text: '>=', detail: 'at least, from' },
  { text: '<', detail: 'below, before' },
  { text: '<=', detail: 'at most, until' },
  { text: '~', detail: 'contains' },
  { text: '!~', detail: 'does not contain' },
]
const ANY_OPERATORS: readonly Choice[] = OPERATORS.map(({ text, detail }) => ({
  text: `?${text}`,
  detail: `some ${detail}`,
}))
const JOINS: readonly Choice[] = [
  { text: '&&', detail: 'and' },
  { text: '||', detail: 'or' },
]
const TEXT_ONLY = new Set(['~', '!~', '?~', '?!~'])

/** What may stand at the caret of a filter. Without choices nothing is known to fit. */
export function complete(filter: string, caret: number, names: Names): Completion {
  const pieces = piecesOf(filter)
  const current = pieces.find(
    ({ kind, at, text }) => kind !== 'space' && at < caret && caret <= at + text.length && isWord(kind),
  )
  const from = current?.at ?? caret
  const to = current ? current.at + current.text.length : caret
  const typed = filter.slice(from, caret)
  const before = meaningful(pieces.filter(({ at }) => at < from))
  return { from, to, choices: choicesFor(expectedAfter(before), typed, names).slice(0, MAX_CHOICES) }
}

function isWord(kind: Piece['kind']): boolean {
  return kind === 'name' || kind === 'macro' || kind === 'text' || kind === 'operator' || kind === 'join'
}

type Expected = { what: 'field' | 'join' } | { what: 'operator' | 'value'; left: Piece; operator?: string }

/** What has to follow the pieces before the caret. */
function expectedAfter(before: readonly Piece[]): Expected {
  let state: Expected = { what: 'field' }
  for (const piece of before) {
    switch (piece.kind) {
      case 'operator':
        if (state.what === 'operator') state = { what: 'value', left: state.left, operator: piece.text }
        break
      case 'join':
        state = { what: 'field' }
        break
      case 'close':
        state = { what: 'join' }
        break
      case 'open':
      case 'comma':
      case 'other':
        break
      default:
        state = state.what === 'value' ? { what: 'join' } : { what: 'operator', left: piece }
    }
  }
  return state
}

function choicesFor(expected: Expected, typed: string, names: Names): Choice[] {
  switch (expected.what) {
    case 'join':
      return startingWith(JOINS, typed)
    case 'operator':
      return operatorsFor(expected.left, typed, names)
    case 'value':
      return valuesFor(expected.left, expected.operator ?? '', typed, names)
    case 'field':
      return typed.startsWith('@') ? macros(typed) : operands(typed, names)
  }
}

function operatorsFor(left: Piece, typed: string, names: Names): Choice[] {
  const isMany = left.kind === 'name' && left.text.split('.').length > 1
  const field = left.kind === 'name' ? fieldAt(names, left.text) : undefined
  const list = typeof field === 'object' && isList(field)
  const all = isMany || list ? [...OPERATORS, ...ANY_OPERATORS] : OPERATORS
  return startingWith(all, typed)
}

function valuesFor(left: Piece, operator: string, typed: string, names: Names): Choice[] {
  if (typed.startsWith('@')) return macros(typed)
  const field = left.kind === 'name' ? fieldAt(names, left.text) : undefined
  const known = typeof field === 'object' ? valuesOf(field, operator) : []
  const quoted = typed.replace(/^["']/, '')
  const fitting = known.filter(({ text }) => {
    const plain = text.replace(/^"/, '').toLowerCase()
    return plain.startsWith(quoted.toLowerCase())
  })
  if (typed === '' || quoted !== typed) return fitting
  return [...fitting, ...operands(typed, names)]
}

/** The values that a field is known to have. */
function valuesOf(field: Field, operator: string): Choice[] {
  if (TEXT_ONLY.has(operator)) return []
  if (field.type === 'select') {
    const choices = field.values.map((value) => ({ text: JSON.stringify(value), detail: 'choice' }))
    return field.required ? choices : [...choices, { text: '""', detail: 'not set' }]
  }
  if (field.type === 'bool') return CONSTANTS.slice(0, 2).map((text) => ({ text, detail: 'yes or no' }))
  if (field.type === 'relation') return [{ text: '""', detail: 'not set' }]
  if (field.type === 'date' || field.type === 'autodate') {
    return Object.entries(MACROS)
      .slice(0, 9)
      .map(([text, detail]) => ({ text, detail }))
  }
  return []
}

function macros(typed: string): Choice[] {
  return startingWith(
    Object.entries(MACROS).map(([text, detail]) => ({ text, detail })),
    typed,
  )
}

/** Fields, paths through relations, and functions that begin with what was typed. */
function operands(typed: string, names: Names): Choice[] {
  const [path, colon] = typed.split(':')
  if (colon !== undefined) {
    const modifiers = Object.entries(MODIFIERS).map(([name, detail]) => ({ text: `${path}:${name}`, detail }))
    return startingWith(modifiers, typed)
  }
  const dot = typed.lastIndexOf('.')
  const prefix = typed.slice(0, dot + 1)
  const place = follow(names, dot < 0 ? [] : typed.slice(0, dot).split('.'))
  if (!place || place === 'json') return []
  const last = typed.slice(dot + 1).toLowerCase()
  const here: Names = { collection: place.collection, all: names.all }
  const fields = ranked(fieldsOf(place.collection), ({ name }) => name, last)
  const own = fields.map((field) => ({ text: prefix + field.name, detail: describe(field, names) }))
  const deeper = fields.length <= FEW ? fields.flatMap((field) => through(field, prefix, names)) : []
  const back = last === '' ? [] : backRelations(here, prefix, last)
  const functions = dot < 0 ? FUNCTIONS.map((name) => ({ text: `${name}(`, detail: 'function' })) : []
  return [...own, ...deeper, ...back, ...(last === '' ? [] : startingWith(functions, typed))]
}

/** The fields behind a relation. */
function through(field: Field, prefix: string, names: Names): Choice[] {
  const target = targetOf(field, names.all)
  if (!target) return []
  return fieldsOf(target)
    .filter(({ name }) => name !== 'id')
    .map((each) => ({ text: `${prefix}${field.name}.${each.name}`, detail: describe(each, names) }))
}

function backRelations({ collection, all }: Names, prefix: string, last: string): Choice[] {
  const back = referencesTo(collection, all).map((each) => ({
    text: backName(each.collection, each.field),
    detail: `${each.collection.name} that refer here`,
  }))
  return ranked(back, ({ text }) => text, last).map(({ text, detail }) => ({ text: prefix + text, detail }))
}

/** The kind of a field in words. */
export function describe(field: Field, { all }: Pick<Names, 'all'>): string {
  switch (field.type) {
    case 'relation':
      return `relation to ${targetOf(field, all)?.name ?? 'a collection'}`
    case 'select':
      return isList(field) ? 'choices' : 'choice'
    case 'bool':
      return 'yes or no'
    case 'autodate':
      return 'date'
    case 'json':
      return 'JSON'
    case 'email':
      return 'e-mail'
    default:
      return field.type
  }
}

/** Those that begin with the text, then those that contain it. */
function ranked<T>(all: readonly T[], nameOf: (each: T) => string, text: string): T[] {
  const lower = (each: T) => nameOf(each).toLowerCase()
  return [
    ...all.filter((each) => lower(each).startsWith(text)),
    ...all.filter((each) => lower(each).includes(text) && !lower(each).startsWith(text)),
  ]
}

function startingWith(all: readonly Choice[], typed: string): Choice[] {
  return all.filter(({ text }) => text.toLowerCase().startsWith(typed.toLowerCase()))
}
