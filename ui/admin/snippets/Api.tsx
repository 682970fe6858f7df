import { useMemo, useState } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { useCatalog } from '../collections/catalog.ts'
import { type ApiRoute, collectionRoutes, otherRoutes } from './api-routes.ts'
import { openApi, operationsOf } from './openapi.ts'
import { RouteExample } from './RouteExample.tsx'

const ACCESS = { public: 'public', signed_in: 'signed-in users', superuser: 'superusers' } as const

/** All routes with their parameters and examples: those of the records of one collection, and all others. */
export function ApiPage() {
  const { api } = useApp()
  const { collections } = useCatalog()
  const query = useQuery()
  const document = useResource((abort) => api.get('/api/openapi.json', openApi, abort), [])
  const operations = useMemo(
    () => (document.value.value ? operationsOf(document.value.value) : []),
    [document.value.value],
  )
  const all = collections.value.value ?? []
  const chosen = all.find(({ name }) => name === query.get('collection')) ?? all.find(({ system }) => !system)
  const text = query.get('q').toLowerCase()
  const others = otherRoutes(operations).filter(({ operation: { path, summary, method } }) =>
    `${method} ${path} ${summary}`.toLowerCase().includes(text),
  )
  return (
    <>
      <Heading title="API" lead={`${operations.length} routes; the examples are written for this server.`}>
        <a class="button" href="/api/openapi.json" download="openapi.json">
          OpenAPI document
        </a>
      </Heading>
      <Loaded of={document} task="load the description of the API" rows={10}>
        {() => (
          <div class="stack">
            {chosen && (
              <Panel
                title="Records"
                aside={
                  <label>
                    Collection{' '}
                    <select
                      value={chosen.name}
                      onChange={({ currentTarget }) => query.set({ collection: currentTarget.value })}
                    >
                      {all.map(({ name }) => (
                        <option key={name}>{name}</option>
                      ))}
                    </select>
                  </label>
                }
              >
                <Routes key={chosen.name} routes={collectionRoutes(operations, chosen)} />
              </Panel>
            )}
            <Panel
              title="All other routes"
              aside={
                <input
                  type="search"
                  aria-label="Search routes"
                  placeholder="Path or purpose"
                  value={query.get('q')}
                  onInput={({ currentTarget }) => query.set({ q: currentTarget.value })}
                />
              }
            >
              {others.length === 0 ? <Empty>No route matches.</Empty> : <Routes routes={others} />}
            </Panel>
          </div>
        )}
      </Loaded>
    </>
  )
}

function Routes({ routes }: { routes: readonly ApiRoute[] }) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  return (
    <div class="routes">
      {routes.map((route) => {
        const { method, path, summary, access } = route.operation
        const key = `${method} ${path}`
        return (
          <details
            key={key}
            onToggle={({ currentTarget }) => {
              if (currentTarget.open) setOpened(new Set([...opened, key]))
            }}
          >
            <summary class="cluster">
              <code class={`method ${method.toLowerCase()}`}>{method}</code>{' '}
              <code class="path">{route.path}</code>
              <span class="purpose">{summary}</span>
              <span class="access">{ACCESS[access]}</span>
            </summary>
            {opened.has(key) && <RouteExample route={route} />}
          </details>
        )
      })}
    </div>
  )
}
