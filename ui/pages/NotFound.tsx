/** The page for unknown paths. */
export function NotFound() {
  return (
    <div class="empty">
      <h1 tabIndex={-1}>There is no such page</h1>
      <p>
        Nothing is at <code>{location.pathname}</code>. It may have been moved or removed.
      </p>
      <a class="button" href="/">
        Go to the overview
      </a>
    </div>
  )
}
