import { inSentence } from '../lib/format.ts'

/** The page for users whose account may not see a page. */
export function Denied({ what }: { what: string }) {
  return (
    <div class="empty">
      <h1 tabIndex={-1}>Only superusers see this page</h1>
      <p>Your account may not see {inSentence(what)}.</p>
      <a class="button" href="/">
        Go to the overview
      </a>
    </div>
  )
}
