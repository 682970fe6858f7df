import type { Page } from '../app/page.ts'

const access = 'superuser'

/** The pages of the admin UI. Those with a menu are listed below the collections. */
export const ADMIN_PAGES: readonly Page[] = [
  { path: '/_', title: 'Administration', access, load: async () => (await import('./frame/Home.tsx')).Home },
  {
    path: '/_/setup',
    title: 'Setup',
    access,
    load: async () => (await import('./setup/SetupDone.tsx')).SetupDone,
  },
  {
    path: '/_/collections/:collection',
    title: 'Records',
    access,
    styles: ['admin-records'],
    load: async () => (await import('./records/Records.tsx')).Records,
  },
  {
    path: '/_/logs',
    title: 'Logs',
    menu: 'administration',
    access,
    styles: ['admin-server'],
    load: async () => (await import('./logs/Logs.tsx')).Logs,
  },
  {
    path: '/_/audit',
    title: 'Audit log',
    menu: 'administration',
    access,
    styles: ['admin-server'],
    load: async () => (await import('./audit/Audit.tsx')).Audit,
  },
  {
    path: '/_/settings',
    title: 'Settings',
    menu: 'administration',
    access,
    styles: ['admin-server'],
    load: async () => (await import('./server/Settings.tsx')).Settings,
  },
  {
    path: '/_/backups',
    title: 'Backups',
    menu: 'administration',
    access,
    styles: ['admin-server'],
    load: async () => (await import('./backups/Backups.tsx')).Backups,
  },
  {
    path: '/_/tasks',
    title: 'Tasks',
    menu: 'administration',
    access,
    styles: ['admin-server'],
    load: async () => (await import('./server/Tasks.tsx')).Tasks,
  },
  {
    path: '/_/api',
    title: 'API',
    menu: 'administration',
    access,
    styles: ['admin-server'],
    load: async () => (await import('./snippets/Api.tsx')).ApiPage,
  },
]
