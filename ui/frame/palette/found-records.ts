import * as v from 'valibot'
import type { App } from '../../app/app.ts'
import type { Command } from './commands.ts'

/** Characters from which records are searched. */
export const MIN_SEARCHED = 2
/** Records of each kind. */
const MOST = 4

const named = v.object({ id: v.string(), name: v.optional(v.nullable(v.string()), '') })
const driversFound = v.object({ items: v.array(named) })
const usersFound = v.object({
  items: v.array(v.object({ id: v.string(), email: v.string(), username: v.string() })),
})

/**
 * Jobs, and for superusers users and drivers, that contain the text, and a search of the documentation. A
 * kind that cannot be read is left out.
 */
export async function searchCommands(app: App, text: string, signal: AbortSignal): Promise<Command[]> {
  const isSuperuser = app.superuser.peek()
  const kinds = [
    ...(app.account.peek() ? [findJobs(app, text, signal)] : []),
    ...(isSuperuser ? [findUsers(app, text, signal), findDrivers(app, text, signal)] : []),
  ]
  const found = await Promise.all(kinds.map((kind) => kind.catch(() => [])))
  return [
    ...found.flat(),
    {
      id: 'docs search',
      title: `Search the documentation for “${text}”`,
      group: 'Page',
      href: `/docs/?q=${encodeURIComponent(text)}`,
    },
  ]
}

async function findJobs({ api, superuser }: App, text: string, signal: AbortSignal): Promise<Command[]> {
  const asked = new URLSearchParams({ text, limit: String(MOST), sort: '-created', fields: 'id,name' })
  if (superuser.peek()) asked.set('user', '*')
  const jobs = await api.get(`/api/jobs?${asked}`, v.array(named), signal)
  return jobs.map(({ id, name }) => ({
    id: `job ${id}`,
    title: name ? `${name} ${id}` : id,
    group: 'Job',
    href: `/jobs/${id}`,
  }))
}

async function findUsers(app: App, text: string, signal: AbortSignal): Promise<Command[]> {
  const wanted = JSON.stringify(text)
  const path = recordsPath(app, 'users', `email ~ ${wanted} || username ~ ${wanted}`, 'id,email,username')
  const { items } = await app.api.get(path, usersFound, signal)
  return items.map(({ id, email, username }) => ({
    id: `user ${id}`,
    title: username && username !== email ? `${username} ${email}` : email,
    group: 'User',
    href: `/users?q=${encodeURIComponent(email)}`,
  }))
}

async function findDrivers(app: App, text: string, signal: AbortSignal): Promise<Command[]> {
  const path = recordsPath(app, 'drivers', `name ~ ${JSON.stringify(text)}`, 'id,name')
  const { items } = await app.api.get(path, driversFound, signal)
  return items.map(({ id, name }) => ({
    id: `driver ${id}`,
    title: name || id,
    group: 'Driver',
    href: `/drivers/${id}`,
  }))
}

function recordsPath(app: App, collection: string, filter: string, fields: string): string {
  const asked = new URLSearchParams({ filter, fields, perPage: String(MOST), skipTotal: '1' })
  return `/api/collections/${app.named(collection)}/records?${asked}`
}
