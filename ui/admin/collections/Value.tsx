import { Moment } from '../../parts/Moment.tsx'
import { type Collection, type Field, labelFields, labelOf, type Row, targetOf } from './model.ts'

/** Characters of a text or of JSON that a cell may hold; style sheets cut it off further. */
const SHOWN = 200

interface ValueProps {
  row: Row
  field: Field
  all: readonly Collection[]
}

/** The value of a field in a table. */
export function Value({ row, field, all }: ValueProps) {
  const value = row[field.name]
  if (value === null || value === undefined || value === '') return <span class="soft">–</span>
  switch (field.type) {
    case 'bool':
      return <>{value === true ? 'yes' : <span class="soft">no</span>}</>
    case 'date':
    case 'autodate':
      return <Moment at={String(value)} />
    case 'relation':
      return <RelationValue row={row} field={field} all={all} />
    case 'json':
      return <code>{shortened(JSON.stringify(value))}</code>
    case 'text':
      return field.name === 'id' ? <Id id={String(value)} /> : shortened(String(value))
    default:
      return <>{Array.isArray(value) ? value.join(', ') || '–' : String(value)}</>
  }
}

/** Ids begin with their time, so that those of one day look alike: only the tail tells them apart. */
export function Id({ id }: { id: string }) {
  const tail = Math.min(7, Math.floor(id.length / 2))
  return (
    <code class="id">
      <span class="soft">{id.slice(0, -tail)}</span>
      {id.slice(-tail)}
    </code>
  )
}

function RelationValue({ row, field, all }: ValueProps) {
  const value = row[field.name]
  const ids = Array.isArray(value) ? value.map(String) : [String(value)]
  if (ids.length === 0) return <span class="soft">–</span>
  const target = targetOf(field, all)
  const related = relatedRows(row, field)
  const names = ids.slice(0, 3).map((id) => {
    const found = related.find((each) => each.id === id)
    return found && target ? labelOf(found, labelFields(target)) : id
  })
  return <>{ids.length > 3 ? `${names.join(', ')} and ${ids.length - 3} more` : names.join(', ')}</>
}

/** The records behind a relation, where the request has expanded it. */
export function relatedRows(row: Row, field: Field): Row[] {
  const expand = row['expand']
  if (typeof expand !== 'object' || expand === null) return []
  const found: unknown = Reflect.get(expand, field.name)
  return (Array.isArray(found) ? found : [found]).flatMap((each) =>
    typeof each === 'object' && each !== null && typeof each.id === 'string' ? [each] : [],
  )
}

/** The query that loads fields of a collection together with the labels of related records. */
export function fieldsQuery(
  fields: readonly Field[],
  all: readonly Collection[],
): { fields: string; expand: string } {
  const relations = fields.flatMap((field) => {
    const target = targetOf(field, all)
    const labels = target ? labelFields(target) : []
    return labels.length > 0 ? [{ name: field.name, labels }] : []
  })
  const related = relations.flatMap(({ name, labels }) =>
    ['id', ...labels].map((label) => `expand.${name}.${label}`),
  )
  const own = new Set(['id', ...fields.map(({ name }) => name)])
  return { fields: [...own, ...related].join(','), expand: relations.map(({ name }) => name).join(',') }
}

function shortened(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}
