import { useState } from 'preact/hooks'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import { BookTable } from '../../parts/table/BookTable.tsx'
import { type ApiRoute, exampleFor } from './api-routes.ts'
import { CLIENTS } from './clients.ts'

/** The parameters of a route and a request in each client. */
export function RouteExample({ route }: { route: ApiRoute }) {
  const [client, setClient] = useState(CLIENTS[0]?.id ?? '')
  const example = exampleFor(route)
  const written = CLIENTS.flatMap(({ id, title, write }) => {
    const text = write(location.origin, example)
    return text === undefined ? [] : [{ id, title, text }]
  })
  const shown = written.find(({ id }) => id === client) ?? written[0]
  const { parts, statuses } = route.operation
  return (
    <div class="route">
      {parts.length > 0 && (
        <div class="scroll">
          <BookTable
            head={['Name', 'In', 'Type', 'Meaning']}
            class="folds"
            label={`Parameters of ${route.path}`}
          >
            {parts.map(({ name, place, required, type, description }) => (
              <tr key={place + name}>
                <th scope="row">
                  <code>{name}</code>
                  {required && <span class="soft"> required</span>}
                </th>
                <td class="state">{place}</td>
                <td class="wide type">{type}</td>
                <td class="wide">{description}</td>
              </tr>
            ))}
          </BookTable>
        </div>
      )}
      <Tabs label="Client" tabs={written} selected={shown?.id ?? ''} onSelect={setClient}>
        <div class="padded">
          {shown && <CodeBlock title="Example" text={shown.text} />}
          <p class="hint">Responses: {statuses.join(', ')}</p>
        </div>
      </Tabs>
    </div>
  )
}
