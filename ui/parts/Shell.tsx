import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { isSuperuser } from '../api/auth.ts'
import { useApp } from '../app/app.ts'
import { setTheme, THEMES } from '../app/theme.ts'
import { formatSeconds } from '../lib/format.ts'
import { describeZone, formatMoment } from '../lib/time.ts'
import { KeyList } from './KeyList.tsx'
import { Logo } from './Logo.tsx'

/** An entry of the menu. */
interface MenuItem {
  path: string
  title: string
}

/** The frame of every page: rail, top bar, connection state and list of shortcuts. */
export function Shell({ menu, children }: { menu: readonly MenuItem[]; children: ComponentChildren }) {
  const { router, config } = useApp()
  const version = config.value.value?.version
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="rail">
        <a class="brand" href="/">
          <Logo />
          <span>{config.value.value?.name ?? 'Job control'}</span>
        </a>
        <nav aria-label="Pages">
          {menu.map(({ path, title }) => (
            <a key={path} href={path} aria-current={router.path.value === path ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <footer>
          <Balance />
          {version && <small>Version {version}</small>}
        </footer>
      </div>
      <TopBar />
      <main id="content">
        <ConnectionBar />
        {children}
      </main>
      <KeyList />
      <Announcements />
    </div>
  )
}

function TopBar() {
  const { auth, theme, signOut } = useApp()
  const account = auth.current.value?.record
  return (
    <header class="top">
      <span class="zone">{describeZone(Date.now())}</span>
      <select
        class="quiet"
        aria-label="Theme"
        value={theme.value}
        onChange={({ currentTarget }) => {
          const chosen = THEMES.find((one) => one === currentTarget.value) ?? 'system'
          theme.value = chosen
          setTheme(chosen)
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
      {account ? (
        <>
          <span class="account" title={account.email ?? ''}>
            {account.email}
            {isSuperuser(auth.current.value) && <small>Administrator</small>}
          </span>
          <button type="button" class="quiet" onClick={signOut}>
            Sign out
          </button>
        </>
      ) : (
        <a class="button quiet" href="/login">
          Sign in
        </a>
      )}
    </header>
  )
}

function Balance() {
  const { auth } = useApp()
  const seconds = auth.current.value?.record.qpu_seconds
  if (seconds === undefined) return null
  return (
    <p class="balance">
      <span>QPU time left</span>
      <strong>{formatSeconds(seconds)}</strong>
    </p>
  )
}

/** Most connection losses are shorter than this, so the bar appears only afterwards. */
const LOSS_GRACE_MS = 1_500

/** Shows that the data may be stale while the event stream is lost. */
function ConnectionBar() {
  const { live } = useApp()
  const shown = useSignal(false)
  const lost = live.state.value === 'lost'
  useEffect(() => {
    shown.value = false
    if (!lost) return undefined
    const timer = setTimeout(() => {
      shown.value = true
    }, LOSS_GRACE_MS)
    return () => clearTimeout(timer)
  }, [lost])
  if (!lost || !shown.value) return null
  const until = live.completeUntil.value
  return (
    <p class="connection tone-warn" role="status">
      Reconnecting
      {until === undefined
        ? '; nothing here updates by itself'
        : `, data from ${formatMoment(until, Date.now())}`}
    </p>
  )
}

function Announcements() {
  const { announcer } = useApp()
  return (
    <p class="unseen" role="status">
      {announcer.text.value}
    </p>
  )
}
