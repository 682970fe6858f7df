import { formatCount } from '../../lib/format.ts'
import { Heading } from '../../parts/Heading.tsx'
import { Loaded, Panel } from '../../parts/Panel.tsx'
import { browserHref, useCatalog } from '../collections/catalog.ts'
import { describeAccess } from '../collections/model.ts'
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
              <div class="scroll">
                <table class="book folds" aria-label="Collections">
                  <thead>
                    <tr>
                      <th scope="col">Collection</th>
                      <th scope="col" class="number">
                        Records
                      </th>
                      <th scope="col">Access</th>
                      <th scope="col" class="number">
                        Fields
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {all.map((collection) => (
                      <tr key={collection.name}>
                        <th scope="row">
                          <a href={browserHref(collection.name)} data-row>
                            {collection.name}
                          </a>
                        </th>
                        <td class="number state">{countText(counts.value[collection.name])}</td>
                        <td class="wide">{describeAccess(collection)}</td>
                        <td class="number absent">{collection.fields.length}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </Loaded>
        </Panel>
      </div>
    </>
  )
}

function countText(count: number | undefined): string {
  return count === undefined ? '–' : formatCount(count)
}
