import type { UiConfig } from '../../../api/model/config.ts'
import { linkedAccounts } from '../../../api/model/me.ts'
import { useApp } from '../../../app/app.ts'
import { useResource } from '../../../app/use-resource.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Loaded, Panel } from '../../../parts/Panel.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import { useAction } from '../../../parts/use-confirm.ts'
import { Providers } from '../../login/Providers.tsx'

/** Accounts at providers that sign in to this account. */
export function LinkedAccounts({ providers }: { providers: UiConfig['oauth2'] }) {
  const { api, named } = useApp()
  const act = useAction()
  const path = `/api/collections/${named('external_auths')}/records`
  const linked = useResource((abort) => api.get(`${path}?perPage=100`, linkedAccounts, abort))
  const nameOf = (provider: string) =>
    providers.find(({ name }) => name === provider)?.displayName ?? provider
  const unlink = async (id: string, provider: string) => {
    const body = 'You can no longer sign in with it. Make sure that you know your password.'
    const isGone = await act(
      { title: `Unlink ${nameOf(provider)}?`, body, action: 'Unlink', tone: 'bad' },
      () => api.remove(`${path}/${id}`),
      `${nameOf(provider)} is no longer linked.`,
    )
    if (isGone) await linked.load()
  }
  return (
    <Panel title="Linked accounts">
      <Loaded of={linked} task="load the linked accounts" rows={1}>
        {({ items }) => {
          const free = providers.filter(({ name }) => !items.some(({ provider }) => provider === name))
          return (
            <>
              <DataTable
                empty="No account at a provider is linked. Link one to sign in without a password."
                label="Linked accounts"
                rows={items}
                id={({ id }) => id}
                columns={[
                  { title: 'Provider', cell: ({ provider }) => nameOf(provider) },
                  { title: 'Linked', cell: ({ created }) => <Moment at={created} day /> },
                  {
                    title: 'Actions',
                    untitled: true,
                    number: true,
                    cell: ({ id, provider }) => (
                      <button type="button" onClick={() => void unlink(id, provider)}>
                        Unlink
                      </button>
                    ),
                  },
                ]}
              />
              {free.length > 0 && (
                <div class="padded">
                  <Providers providers={free} verb="Link" linked={() => void linked.load()} />
                </div>
              )}
            </>
          )
        }}
      </Loaded>
    </Panel>
  )
}
