import { useEffect, useMemo } from 'preact/hooks'
import { useApp } from '../app/app.ts'
import { Overlays } from '../frame/Overlays.tsx'
import { Outlet } from '../Outlet.tsx'
import { CatalogProvider, createCatalog } from './collections/catalog.ts'
import { AdminShell } from './frame/AdminShell.tsx'
import { ADMIN_PAGES } from './pages.ts'
import { NotSuperuser } from './setup/NotSuperuser.tsx'
import { Setup } from './setup/Setup.tsx'
import { SignIn } from './setup/SignIn.tsx'

/** The page that the set-up link of a new server opens. */
const SETUP = '/_/setup'

/** The admin UI: for superusers only, apart from the set-up of the first one. */
export function Admin() {
  const { api, auth, superuser, router, live } = useApp()
  const catalog = useMemo(() => createCatalog(api), [api])
  const isSuperuser = superuser.value
  useEffect(() => {
    if (!isSuperuser) return
    // Runs immediately, and again after each interruption, in which any count may have changed.
    return live.recoveries.subscribe(() => void catalog.load())
  }, [isSuperuser])
  if (!isSuperuser) {
    return (
      <>
        <main id="content">
          {router.path.value === SETUP ? <Setup /> : auth.current.value ? <NotSuperuser /> : <SignIn />}
        </main>
        <Overlays />
      </>
    )
  }
  return (
    <CatalogProvider value={catalog}>
      <AdminShell pages={ADMIN_PAGES}>
        <Outlet pages={ADMIN_PAGES} />
      </AdminShell>
    </CatalogProvider>
  )
}
