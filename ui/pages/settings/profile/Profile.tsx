import { type Me, me as schema } from '../../../api/model/me.ts'
import type { Resource } from '../../../api/resource.ts'
import { useApp } from '../../../app/app.ts'
import { useResource } from '../../../app/use-resource.ts'
import { formatBytes, formatCount, formatSeconds } from '../../../lib/format.ts'
import { Moment } from '../../../parts/Moment.tsx'
import { Loaded, Panel } from '../../../parts/Panel.tsx'
import { Fact } from '../../../parts/table/Fact.tsx'
import { SettingsFrame } from '../SettingsFrame.tsx'
import { EmailChange } from './EmailChange.tsx'
import { LinkedAccounts } from './LinkedAccounts.tsx'
import { Logins } from './Logins.tsx'
import { AlertMails, Mails } from './Mails.tsx'
import { PasswordChange } from './PasswordChange.tsx'
import { Verification } from './Verification.tsx'

/** The own account: what it is, how to sign in, which limits apply. */
export function Profile() {
  const { api, config } = useApp()
  const me = useResource((abort) => api.get('/api/me', schema, abort))
  const { passwordLogin = true, oauth2 = [] } = config.value.value ?? {}
  return (
    <SettingsFrame lead={<Lead me={me} />}>
      <Loaded of={me} task="load your account" rows={6}>
        {(loaded) => {
          const isUser = loaded.role === 'user'
          return (
            <>
              {isUser && !loaded.account.verified && <Verification email={loaded.account.email ?? ''} />}
              <Panel title="Account">
                <Facts me={loaded} />
              </Panel>
              {loaded.limits && (
                <Panel title="Limits that apply to you">
                  <Limits limits={loaded.limits} />
                </Panel>
              )}
              {(passwordLogin || !isUser) && <PasswordChange account={loaded.account} />}
              <EmailChange email={loaded.account.email ?? ''} />
              {isUser && oauth2.length > 0 && <LinkedAccounts providers={oauth2} />}
              {isUser ? <Mails account={loaded.account} /> : <AlertMails account={loaded.account} />}
              <Logins issued={loaded.issued_access} />
            </>
          )
        }}
      </Loaded>
    </SettingsFrame>
  )
}

function Lead({ me }: { me: Resource<Me> }) {
  const loaded = me.value.value
  if (!loaded) return null
  if (loaded.role === 'superuser')
    return <>You are a superuser: no limits apply, and QPU time is unlimited.</>
  const seconds = loaded.balance?.qpu_seconds ?? 0
  return seconds > 0 ? (
    <>You have {formatSeconds(seconds)} of QPU time left.</>
  ) : (
    <>
      You have no QPU time left. <a href="/qpu-time">Request time</a>
    </>
  )
}

function Facts({ me: { role, account, credentials } }: { me: Me }) {
  return (
    <dl class="facts padded">
      <Fact name="E-mail">{account.email}</Fact>
      {account.username && <Fact name="User name">{account.username}</Fact>}
      <Fact name="Role">{role === 'superuser' ? 'Superuser' : 'User'}</Fact>
      <Fact name="Member since">
        <Moment at={account.created} day />
      </Fact>
      <Fact name="This login expires">
        <Moment at={credentials.expires_at} none="never" />
      </Fact>
    </dl>
  )
}

function Limits({ limits }: { limits: NonNullable<Me['limits']> }) {
  const { requests, submissions, pending_jobs: pending, stored_bytes: stored } = limits
  const rate = (one: typeof requests) =>
    one ? `${one.per_second} per second, ${formatCount(one.burst)} in a burst` : 'no limit'
  return (
    <dl class="facts padded">
      <Fact name="Pending jobs">
        {formatCount(pending.used)} {pending.max === null ? '(no limit)' : `of ${formatCount(pending.max)}`}
      </Fact>
      <Fact name="Stored data">
        {formatBytes(stored.used)} {stored.max === null ? '(no limit)' : `of ${formatBytes(stored.max)}`}
      </Fact>
      <Fact name="Submissions">{rate(submissions)}</Fact>
      <Fact name="Requests">{rate(requests)}</Fact>
    </dl>
  )
}
