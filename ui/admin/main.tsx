import { render } from 'preact'
import { AppProvider, createApp } from '../app/app.ts'
import { keepCurrent } from '../app/keep-current.ts'
import { loadPageStyles } from '../app/page-styles.ts'
import { Admin } from './Admin.tsx'

const app = createApp()
keepCurrent(app)
const root = document.getElementById('app')
if (!root) throw new TypeError('index.html has no element with the id app')
// Without its style sheet the admin UI is plain, but works.
await loadPageStyles(['admin']).catch(() => undefined)
render(
  <AppProvider value={app}>
    <Admin />
  </AppProvider>,
  root,
)
