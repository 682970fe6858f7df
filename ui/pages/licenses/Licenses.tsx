import * as v from 'valibot'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatCount } from '../../lib/format.ts'
import { Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'

const components = v.array(
  v.object({ name: v.string(), version: v.string(), license: v.string(), part: v.string() }),
)
const TEXT = '/licenses.txt'

/** Everything that the executable contains, with its license; the content of `svc licenses`. */
export function Licenses() {
  const { api } = useApp()
  const query = useQuery()
  const text = query.get('q').toLowerCase()
  const list = useResource((abort) => api.get('/licenses.json', components, abort))
  const count = list.value.value?.length
  return (
    <>
      <Heading
        title="Licenses"
        lead={
          count !== undefined &&
          `This program has the MIT license and contains ${formatCount(count - 1)} third-party components.`
        }
      >
        <button type="button" onClick={() => void api.download(TEXT, 'licenses.txt')}>
          Download the texts
        </button>
      </Heading>
      <Panel
        title="Contents"
        aside={
          <input
            type="search"
            aria-label="Filter by name or license"
            placeholder="Name or license"
            value={query.get('q')}
            onInput={({ currentTarget }) => query.set({ q: currentTarget.value })}
          />
        }
      >
        <Loaded of={list} task="load the licenses" rows={12}>
          {(all) => {
            const shown = all.filter(({ name, license }) => `${name} ${license}`.toLowerCase().includes(text))
            return (
              <DataTable
                empty="No component has this name or license."
                label="Contents of the program"
                rows={shown}
                id={({ name, version }) => `${name} ${version}`}
                columns={[
                  { title: 'Name', cell: ({ name }) => name },
                  { title: 'License', phone: 'state', cell: ({ license }) => license },
                  { title: 'Version', cell: ({ version }) => version || '–' },
                  { title: 'Part', cell: ({ part }) => part },
                ]}
              />
            )
          }}
        </Loaded>
      </Panel>
    </>
  )
}
