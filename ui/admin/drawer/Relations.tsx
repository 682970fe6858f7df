import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatCount } from '../../lib/format.ts'
import { Loaded } from '../../parts/Panel.tsx'
import { browserHref, countRecords } from '../collections/catalog.ts'
import { referringFilters } from '../collections/filters.ts'
import { type Collection, type Field, type Row, referencesTo, targetOf } from '../collections/model.ts'
import { Value } from '../collections/Value.tsx'

interface RelationsProps {
  collection: Collection
  all: readonly Collection[]
  row: Row
}

/** The records that this one refers to, and those that refer to it. */
export function Relations({ collection, all, row }: RelationsProps) {
  const { api } = useApp()
  const outgoing = collection.fields.filter(
    (field) => field.type === 'relation' && idsIn(row, field).length > 0,
  )
  const references = referencesTo(collection, all)
  const counts = useResource(
    (abort) =>
      Promise.all(
        references.map(async (reference) => {
          const [filter = ''] = referringFilters(reference, [row.id])
          const count = await countRecords(api, reference.collection.name, filter, abort).catch(
            () => undefined,
          )
          return { ...reference, filter, count }
        }),
      ),
    [row.id],
  )
  return (
    <div class="drawer-body">
      <h3>Refers to</h3>
      {outgoing.length === 0 && <p class="soft">Nothing.</p>}
      <ul class="links">
        {outgoing.map((field) => {
          const target = targetOf(field, all)
          const [first = ''] = idsIn(row, field)
          return (
            <li key={field.name} class="cluster apart">
              <code>{field.name}</code>
              {target ? (
                <a href={browserHref(target.name, { record: first })}>
                  <Value row={row} field={field} all={all} />
                </a>
              ) : (
                first
              )}
            </li>
          )
        })}
      </ul>
      <h3>Referred to by</h3>
      {references.length === 0 && <p class="soft">No collection refers to {collection.name}.</p>}
      {references.length > 0 && (
        <Loaded of={counts} task="count what refers to the record" rows={3}>
          {(counted) => (
            <ul class="links">
              {counted.map(({ collection: from, field, filter, count }) => (
                <li key={from.name + field.name} class="cluster apart">
                  <span>
                    {from.name} <code>{field.name}</code>
                  </span>
                  {count === 0 ? (
                    <span class="soft">none</span>
                  ) : (
                    <a href={browserHref(from.name, { filter })}>
                      {count === undefined ? 'show' : formatCount(count)}
                    </a>
                  )}
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      )}
    </div>
  )
}

function idsIn(row: Row, { name }: Field): string[] {
  const value = row[name]
  return (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string' && each !== '')
}
