import { render } from 'preact'
import { AppProvider, createApp } from './app/app.ts'
import { keepCurrent } from './app/keep-current.ts'
import { Shell } from './frame/Shell.tsx'
import { Outlet } from './Outlet.tsx'
import { PAGES } from './pages/index.ts'

const app = createApp()
keepCurrent(app)
const root = document.getElementById('app')
if (!root) throw new TypeError('index.html has no element with the id app')
render(
  <AppProvider value={app}>
    <Shell pages={PAGES}>
      <Outlet pages={PAGES} />
    </Shell>
  </AppProvider>,
  root,
)
