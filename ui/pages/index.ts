import type { Page } from '../app/page.ts'

/** All pages, the more specific path first. */
export const PAGES: readonly Page[] = [
  {
    path: '/',
    title: 'Overview',
    menu: true,
    access: 'public',
    load: async () => (await import('./Overview.tsx')).Overview,
  },
  {
    path: '/jobs/new',
    title: 'New job',
    menu: true,
    access: 'signed_in',
    load: async () => (await import('./NewJob.tsx')).NewJob,
  },
  {
    path: '/jobs/:id',
    title: 'Job',
    access: 'signed_in',
    load: async () => (await import('./Job.tsx')).JobPage,
  },
  {
    path: '/login',
    title: 'Sign in',
    access: 'public',
    load: async () => (await import('./Login.tsx')).Login,
  },
]
