import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { isSuperuser } from '../api/auth.ts'
import { useApp } from '../app/app.ts'
import { setTheme, THEMES } from '../app/theme.ts'
import { formatSeconds } from '../lib/format.ts'
import { describeZone } from '../lib/time.ts'
import { Select } from '../parts/form/form.tsx'
import { Menu } from '../parts/Menu.tsx'
import { Bell } from './Bell.tsx'
import { documentOf } from './document-of.ts'

interface TopBarProps {
  /** Opened by a button at the begin of the bar. */
  palette?: Signal<boolean>
  /** In place of that button. */
  children?: ComponentChildren
}

/** The bar above the page: palette, time zone, notices, theme and account. */
export function TopBar({ palette, children }: TopBarProps) {
  const { account, router } = useApp()
  return (
    <header class="top">
      {palette ? <PaletteButton open={palette} /> : children}
      <span class="grow" />
      <ZoneLink />
      <a class="button quiet" href={documentOf(router.path.value)}>
        Help
      </a>
      <Bell />
      <ThemeMenu />
      {account.value ? (
        <AccountMenu />
      ) : (
        <a class="button quiet" href="/login">
          Sign in
        </a>
      )}
    </header>
  )
}

/** The name of the zone takes a browser longer than the rest of the frame: it follows the first paint. */
function ZoneLink() {
  const { zone } = useApp()
  const isPainted = useSignal(false)
  useEffect(() => {
    isPainted.value = true
  }, [])
  return (
    <a class="zone" href="/settings/appearance" title="Change the time zone">
      {isPainted.value && describeZone(Date.now(), zone.value)}
    </a>
  )
}

function PaletteButton({ open }: { open: Signal<boolean> }) {
  return (
    <button type="button" class="find" onClick={() => (open.value = true)}>
      <span>
        Find<span class="long"> a job, QPU, page</span>…
      </span>
      <kbd>Ctrl K</kbd>
    </button>
  )
}

const THEME_NAMES = { system: 'System', light: 'Light', dark: 'Dark' }

function ThemeMenu() {
  const { theme } = useApp()
  return (
    <Select
      class="quiet"
      aria-label="Theme"
      value={theme.value}
      choices={THEMES.map((one) => [one, THEME_NAMES[one]])}
      set={(name) => {
        const chosen = THEMES.find((one) => one === name) ?? 'system'
        theme.value = chosen
        setTheme(chosen)
      }}
    />
  )
}

function AccountMenu() {
  const { auth, account, signOut } = useApp()
  const superuser = isSuperuser(auth.current.value)
  const { email = '', qpu_seconds: seconds } = account.value ?? {}
  return (
    <Menu
      class="quiet account"
      button={
        <>
          <span>{email || 'Account'}</span>
          {superuser && <small>Superuser</small>}
        </>
      }
      items={[
        { title: 'Settings', href: '/settings/profile' },
        ...(superuser ? [] : [{ title: 'API tokens', href: '/settings/tokens' }]),
        { title: 'Sign out', run: signOut },
      ]}
    >
      <p class="menu-text">
        {email}
        {seconds !== undefined && <span class="soft">QPU time left: {formatSeconds(seconds)}</span>}
      </p>
    </Menu>
  )
}
