/** The logo of the dashboard: a controlled NOT. */
export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 20 20" width="22" height="22" aria-hidden="true">
      <path class="wire" d="M1 4.5h18M1 13.5h4.5m9 0H19" />
      <circle class="dot" cx="10" cy="4.5" r="2.4" />
      <path class="target" d="M10 7v11M5.5 13.5h9" />
      <circle class="target" cx="10" cy="13.5" r="4.5" />
    </svg>
  )
}
