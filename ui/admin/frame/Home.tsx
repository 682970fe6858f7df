import { formatCount } from '../../lib/format.ts'
import { Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { type Column, DataTable } from '../../parts/table/DataTable.tsx'
import { browserHref, useCatalog } from '../collections/catalog.ts'
import { type Collection, describeAccess } from '../collections/model.ts'
import { HealthPanel } from '../server/HealthPanel.tsx'

/** The state of the service, and all collections, with who may read and write them. */
export function Home() {
  const { collections, counts } = useCatalog()
  const known = Object.values(counts.value)
  const total = known.reduce((sum, count) => sum + count, 0)
  return (
    <>
      <Heading
        title="Administration"
        lead={known.length > 0 && `${formatCount(total)} records in ${known.length} collections.`}
      />
      <div class="stack">
        <HealthPanel />
        <Panel title="Collections">
          <Loaded of={collections} task="load the collections" rows={12}>
            {(all) => (
              <DataTable
                label="Collections"
                rows={all}
                columns={columnsOf(counts.value)}
                id={({ name }) => name}
                href={({ name }) => browserHref(name)}
              />
            )}
          </Loaded>
        </Panel>
      </div>
    </>
  )
}

const columnsOf = (counts: Readonly<Record<string, number>>): Column<Collection>[] => [
  { title: 'Collection', cell: ({ name }) => name },
  { title: 'Records', number: true, phone: 'state', cell: ({ name }) => countText(counts[name]) },
  { title: 'Access', phone: 'wide', cell: describeAccess },
  { title: 'Fields', number: true, phone: 'absent', cell: ({ fields }) => fields.length },
]

function countText(count: number | undefined): string {
  return count === undefined ? '–' : formatCount(count)
}
