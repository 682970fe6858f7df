import { superusers } from '../../api/model/users.ts'
import { useApp } from '../../app/app.ts'
import { useResource } from '../../app/use-resource.ts'
import { Moment } from '../../parts/Moment.tsx'
import { Loaded, Panel } from '../../parts/Panel.tsx'
import { DataTable } from '../../parts/table/DataTable.tsx'

const SHOWN = 50

/** Who administers the service. */
export function Superusers() {
  const { api, named } = useApp()
  const list = useResource((abort) =>
    api.get(`/api/collections/${named('superusers')}/records?sort=email&perPage=${SHOWN}`, superusers, abort),
  )
  return (
    <Panel title="Superusers" aside={<a href="/_/">Manage superusers</a>}>
      <Loaded of={list} task="load the superusers" rows={2}>
        {({ items }) => (
          <DataTable
            label="Superusers"
            rows={items}
            id={({ id }) => id}
            columns={[
              { title: 'E-mail', cell: ({ email }) => email },
              { title: 'Created', cell: ({ created }) => <Moment at={created} day /> },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}
