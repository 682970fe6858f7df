import { DAY_MS } from '../../../../src/base/portable/units.ts'
import { type ApiToken, apiTokens } from '../../../api/model/access/tokens.ts'
import { useApp } from '../../../app/app.ts'
import { useResource } from '../../../app/use-resource.ts'
import { formatNumberOf, sentence } from '../../../lib/format.ts'
import { parseTime } from '../../../lib/time.ts'
import { useDialog } from '../../../parts/form/use-dialog.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Empty, Loaded, Panel } from '../../../parts/Panel.tsx'
import { Status } from '../../../parts/Status.tsx'
import { DataTable } from '../../../parts/table/DataTable.tsx'
import { usePages } from '../../../parts/table/Pager.tsx'
import { useAction } from '../../../parts/use-confirm.ts'
import { SettingsFrame } from '../SettingsFrame.tsx'
import { ChangeToken } from './ChangeToken.tsx'
import { NewToken } from './NewToken.tsx'

const PAGE_SIZE = 25
/** A token that expires within this time is pointed out. */
const SOON_MS = 7 * DAY_MS

/** The API tokens of the account. */
export function Tokens() {
  const { api } = useApp()
  const act = useAction()
  const { page, by, pages, sort } = usePages(PAGE_SIZE, '-created')
  const tokens = useResource(
    (abort) =>
      api.get(`/api/tokens?limit=${PAGE_SIZE}&skip=${(page - 1) * PAGE_SIZE}&sort=${by}`, apiTokens, abort),
    [by, page],
  )
  const remove = async (token: ApiToken) => {
    const name = token.name || token.id
    const body = 'Programs that use it are refused immediately.'
    const isGone = await act(
      { title: `Delete the token ${name}?`, body, action: 'Delete', tone: 'bad' },
      () => api.remove(`/api/tokens/${token.id}`),
      `The token ${name} was deleted.`,
    )
    if (isGone) await tokens.load()
  }
  const reload = () => void tokens.load()
  const [adding, add] = useDialog((_, close) => <NewToken created={reload} close={close} />)
  const [changing, change] = useDialog<ApiToken>((token, close) => (
    <ChangeToken token={token} changed={reload} close={close} />
  ))
  const list = tokens.value.value
  const create = (
    <button type="button" class="primary" onClick={() => add()}>
      New token
    </button>
  )
  return (
    <SettingsFrame lead={list && list.length > 0 && <Lead tokens={list} />} actions={create}>
      <Panel title="API tokens" aside={<a href="/docs/how-to/accounts#api-tokens">How programs use them</a>}>
        <Loaded of={tokens} task="load your API tokens" rows={4}>
          {(rows) => (
            <DataTable
              label="API tokens"
              rows={rows}
              id={({ id }) => id}
              busy={tokens.loading.value}
              sort={sort}
              pages={pages}
              empty={<Empty action={create}>You have no API tokens. Programs sign in with them.</Empty>}
              columns={[
                { title: 'Name', sort: 'name', cell: ({ name, id }) => name || <code>{id}</code> },
                { title: 'Scope', cell: ({ scope }) => SCOPE_WORDS[scope] },
                {
                  title: 'Created',
                  sort: 'created',
                  phone: 'absent',
                  cell: ({ created }) => <Moment at={created} day />,
                },
                { title: 'Last used', phone: 'wide', cell: (token) => <LastUse token={token} /> },
                { title: 'Expires', sort: 'expires_at', cell: (token) => <Expires token={token} /> },
                {
                  title: 'Actions',
                  untitled: true,
                  number: true,
                  phone: 'wide',
                  cell: (token) => (
                    <span class="row-actions">
                      <button type="button" onClick={() => change(token)}>
                        Change<span class="unseen"> {token.name || token.id}</span>
                      </button>
                      <button type="button" onClick={() => void remove(token)}>
                        Delete<span class="unseen"> {token.name || token.id}</span>
                      </button>
                    </span>
                  ),
                },
              ]}
            />
          )}
        </Loaded>
      </Panel>
      {adding}
      {changing}
    </SettingsFrame>
  )
}

const SCOPE_WORDS = {
  read: 'read',
  submit: 'read and submit jobs',
  all: 'do everything',
  operate: 'operate QPUs and their queue',
  session: 'open sessions for a cluster',
}

function Lead({ tokens }: { tokens: readonly ApiToken[] }) {
  const now = Date.now()
  const ending = tokens.filter(({ expires_at }) => {
    const end = parseTime(expires_at)
    return end !== undefined && end > now && end - now < SOON_MS
  })
  const [first] = ending
  if (!first) return <>{sentence(formatNumberOf(tokens.length, 'token'))}, none expires within 7 days.</>
  const name = first.name || first.id
  return ending.length === 1 ? (
    <>The token {name} expires within 7 days.</>
  ) : (
    <>{sentence(formatNumberOf(ending.length, 'token'))} expire within 7 days.</>
  )
}

function LastUse({ token: { last_used: at, last_address: address } }: { token: ApiToken }) {
  if (!at) return <>never</>
  return (
    <>
      <Moment at={at} />
      <small class="address">from {address}</small>
    </>
  )
}

function Expires({ token }: { token: ApiToken }) {
  const end = parseTime(token.expires_at)
  if (end === undefined) return <>never expires</>
  if (end <= Date.now()) return <Status tone="bad" glyph="cross" word="Expired" />
  return <Moment at={end} />
}
