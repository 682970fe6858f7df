import type { Reference } from './model.ts'

/** The server refuses longer filters; names and quotes included. */
const MAX_CHARACTERS = 3_000

/** A filter that finds the records with these ids. */
export function idsFilter(ids: readonly string[]): string {
  return anyOf('id', '=', ids)
}

/** Filters that together find what refers to these records by a field. */
export function referringFilters({ field }: Reference, ids: readonly string[]): string[] {
  const operator = (field.maxSelect ?? 1) > 1 ? '?=' : '='
  const name = (field.maxSelect ?? 1) > 1 ? `${field.name}.id` : field.name
  const filters: string[] = []
  let group: string[] = []
  for (const id of ids) {
    if (anyOf(name, operator, [...group, id]).length > MAX_CHARACTERS) {
      filters.push(anyOf(name, operator, group))
      group = []
    }
    group.push(id)
  }
  return group.length === 0 ? filters : [...filters, anyOf(name, operator, group)]
}

function anyOf(name: string, operator: string, ids: readonly string[]): string {
  return ids.map((id) => `${name}${operator}${JSON.stringify(id)}`).join('||')
}
