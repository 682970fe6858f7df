import type { Completion } from '@codemirror/autocomplete'
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
import { meaningful, type Piece, type PieceKind, piecesOf } from './pieces.ts'

/** What may replace the characters from `from` to `to`, counted from 0. */
export interface Offer {
  from: number
  to: number
  options: Option[]
}

interface Option extends Completion {
  detail: string
}

const OPERATORS = [
  option('=', 'equals'),
  option('!=', 'differs'),
  option('>', 'above, after'),
  option('>=', 'at least, from'),
  option('<', 'below, before'),
  option('<=', 'at most, until'),
  option('~', 'contains'),
  option('!~', 'does not contain'),
]
const ANY_OPERATORS = OPERATORS.map(({ label, detail }) => option(`?${label}`, `some ${detail}`))
const JOINS = [option('&&', 'and'), option('||', 'or')]
const TIMES = Object.entries(MACROS).map(([name, detail]) => option(name, detail))
const WORDS = new Set<PieceKind>(['name', 'macro', 'text', 'operator', 'join', 'comment'])
const TEXT_ONLY = new Set(['~', '!~', '?~', '?!~'])

/** All that may stand at the caret of a filter; what fits the word there, the editor decides. */
export function complete(filter: string, caret: number, names: Names): Offer {
  const pieces = piecesOf(filter)
  const current = pieces.find(
    ({ kind, at, text }) => at < caret && caret <= at + text.length && WORDS.has(kind),
  )
  if (current?.kind === 'comment') return { from: caret, to: caret, options: [] }
  const from = current?.at ?? caret
  const to = current ? current.at + current.text.length : caret
  const before = meaningful(pieces.filter(({ at }) => at < from))
  const isLast = to === filter.length
  const options = optionsFor(expectedAfter(before), filter.slice(from, caret), names)
  return { from, to, options: isLast ? options.map(withSpace) : options }
}

/** A name that others follow gets no space. */
function withSpace(each: Option): Option {
  return /[(.]$/.test(each.label) ? each : { ...each, apply: `${each.label} ` }
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

function optionsFor(expected: Expected, typed: string, names: Names): Option[] {
  switch (expected.what) {
    case 'join':
      return JOINS
    case 'operator':
      return operatorsFor(expected.left, names)
    case 'value':
      return valuesFor(expected.left, expected.operator ?? '', typed, names)
    case 'field':
      return typed.startsWith('@') ? TIMES : operands(typed, names)
  }
}

function operatorsFor(left: Piece, names: Names): Option[] {
  const isMany = left.kind === 'name' && left.text.split('.').length > 1
  const field = left.kind === 'name' ? fieldAt(names, left.text) : undefined
  const list = typeof field === 'object' && isList(field)
  return isMany || list ? [...OPERATORS, ...ANY_OPERATORS] : OPERATORS
}

function valuesFor(left: Piece, operator: string, typed: string, names: Names): Option[] {
  if (typed.startsWith('@')) return TIMES
  const field = left.kind === 'name' ? fieldAt(names, left.text) : undefined
  const known = typeof field === 'object' ? valuesOf(field, operator) : []
  if (typed.startsWith("'")) return known.map((each) => option(each.label.replaceAll('"', "'"), each.detail))
  return typed === '' || typed.startsWith('"') ? known : [...known, ...operands(typed, names)]
}

/** The values that a field is known to have. */
function valuesOf(field: Field, operator: string): Option[] {
  if (TEXT_ONLY.has(operator)) return []
  if (field.type === 'select') {
    const choices = field.values.map((value) => option(JSON.stringify(value), 'choice'))
    return field.required ? choices : [...choices, option('""', 'not set')]
  }
  if (field.type === 'bool') return CONSTANTS.slice(0, 2).map((label) => option(label, 'yes or no'))
  if (field.type === 'relation') return [option('""', 'not set')]
  return field.type === 'date' || field.type === 'autodate' ? TIMES.slice(0, 9) : []
}

/** Fields and paths through relations behind what was typed, and functions. */
function operands(typed: string, names: Names): Option[] {
  const [path, colon] = typed.split(':')
  if (colon !== undefined) {
    return Object.entries(MODIFIERS).map(([name, detail]) => option(`${path}:${name}`, detail))
  }
  const dot = typed.lastIndexOf('.')
  const prefix = typed.slice(0, dot + 1)
  const place = follow(names, dot < 0 ? [] : typed.slice(0, dot).split('.'))
  if (!place || place === 'json') return []
  const fields = fieldsOf(place.collection)
  const here = { collection: place.collection, all: names.all }
  return [
    ...fields.map((field) => option(prefix + field.name, describe(field, names))),
    ...fields.flatMap((field) => through(field, prefix, names)),
    ...backRelations(here, prefix),
    ...(dot < 0 ? FUNCTIONS.map((name) => option(`${name}(`, 'function')) : []),
  ]
}

/** The fields behind a relation. */
function through(field: Field, prefix: string, names: Names): Option[] {
  const target = targetOf(field, names.all)
  if (!target) return []
  return fieldsOf(target)
    .filter(({ name }) => name !== 'id')
    .map((each) => option(`${prefix}${field.name}.${each.name}`, describe(each, names)))
}

/** The records that refer to one; a field of them has to follow. */
function backRelations({ collection, all }: Names, prefix: string): Option[] {
  return referencesTo(collection, all).map((each) =>
    option(`${prefix}${backName(each.collection, each.field)}.`, `${each.collection.name} that refer here`),
  )
}

const KINDS: Readonly<Record<string, string>> = {
  bool: 'yes or no',
  autodate: 'date',
  json: 'JSON',
  email: 'e-mail',
}

/** The kind of a field in words. */
function describe(field: Field, { all }: Names): string {
  if (field.type === 'relation') return `relation to ${targetOf(field, all)?.name ?? 'a collection'}`
  if (field.type === 'select') return isList(field) ? 'choices' : 'choice'
  return KINDS[field.type] ?? field.type
}

function option(label: string, detail: string): Option {
  return { label, detail }
}
