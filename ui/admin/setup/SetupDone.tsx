import { Heading } from '../../parts/Panel.tsx'

/** The setup link, opened by a superuser. */
export function SetupDone() {
  return (
    <>
      <Heading title="The setup is done" lead="You are signed in as a superuser." />
      <div class="actions">
        <a class="button primary" href="/_/">
          Open the administration
        </a>
        <a class="button" href="/">
          Open the dashboard
        </a>
      </div>
    </>
  )
}
