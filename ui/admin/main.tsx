import { render } from 'preact'
import { AppProvider, createApp } from '../app/app.ts'
import { keepCurrent } from '../app/keep-current.ts'
import { Admin } from './Admin.tsx'

const app = createApp()
keepCurrent(app)
const root = document.getElementById('app')
if (!root) throw new TypeError('index.html has no element with the id app')
render(
  <AppProvider value={app}>
    <Admin />
  </AppProvider>,
  root,
)
