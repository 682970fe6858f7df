/** The document about each page of the dashboard and of the admin UI, the more specific path first. */
export const DOCUMENTS: readonly (readonly [path: string, document: string])[] = [
  ['/jobs/new', '/docs/reference/jobs'],
  ['/jobs', '/docs/how-to/use-the-dashboard#jobs'],
  ['/bookings', '/docs/how-to/use-the-dashboard#bookings'],
  ['/qpus', '/docs/how-to/use-the-dashboard#qpus'],
  ['/calibrations/history', '/docs/how-to/calibrate#follow-a-value-over-months'],
  ['/calibrations', '/docs/how-to/calibrate'],
  ['/monitoring', '/docs/how-to/monitor-a-cryostat'],
  ['/drivers', '/docs/how-to/run-a-driver'],
  ['/users', '/docs/how-to/accounts'],
  ['/qpu-time', '/docs/how-to/use-the-dashboard#qpu-time'],
  ['/accounting', '/docs/how-to/run-the-server#accounting'],
  ['/time-requests', '/docs/how-to/use-the-dashboard#qpu-time'],
  ['/notices', '/docs/how-to/use-the-dashboard#notices'],
  ['/settings/tokens', '/docs/how-to/accounts#api-tokens'],
  ['/settings/webhooks', '/docs/how-to/webhooks'],
  ['/settings', '/docs/how-to/use-the-dashboard#settings'],
  ['/login', '/docs/how-to/accounts'],
  ['/_/setup', '/docs/how-to/use-the-admin-ui#create-the-first-superuser'],
  ['/_/collections', '/docs/how-to/use-the-admin-ui#find-and-change-records'],
  ['/_/logs', '/docs/how-to/use-the-admin-ui#read-the-log'],
  ['/_/audit', '/docs/how-to/use-the-admin-ui#check-the-audit-log'],
  ['/_/settings', '/docs/reference/settings'],
  ['/_/backups', '/docs/how-to/back-up'],
  ['/_/tasks', '/docs/how-to/operate#the-server'],
  ['/_/api', '/docs/reference/routes'],
  ['/_', '/docs/how-to/use-the-admin-ui'],
  ['/', '/docs/how-to/use-the-dashboard'],
]

/** The address of the document about a page, or of the list of all documents. */
export function documentOf(path: string): string {
  const found = DOCUMENTS.find(([prefix]) => path === prefix || path.startsWith(`${prefix}/`))
  return found?.[1] ?? '/docs/'
}
