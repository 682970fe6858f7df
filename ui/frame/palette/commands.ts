import type { Page } from '../../app/page.ts'

/** Something that the palette offers. */
export interface Command {
  /** Unique among the commands. */
  id: string
  title: string
  /** What kind of thing it is. */
  group: 'Page' | 'QPU' | 'Job' | 'User' | 'Driver' | 'Action'
  /** Path that it opens. */
  href?: string
  run?: () => void
}

interface Sources {
  pages: readonly Page[]
  signedIn: boolean
  superuser: boolean
  qpus: readonly string[]
  jobs: readonly { id: string; name?: string | null | undefined }[]
  actions: readonly Command[]
  /** Actions that are offered only for a text. */
  verbs: readonly Command[]
}

/** Everything that the palette can offer to an account. */
export function commandsOf({ pages, signedIn, superuser, qpus, jobs, actions, verbs }: Sources): Command[] {
  const open = pages.filter(
    ({ path, access }) =>
      !path.includes(':') &&
      !(signedIn && path.startsWith('/login')) &&
      (access === 'public' ||
        (access === 'guest' && !signedIn) ||
        (access === 'signed_in' && signedIn) ||
        (access === 'superuser' && superuser)),
  )
  const qpuPage = pages.some(({ path }) => path === '/qpus/:name')
  return [
    ...open.map(
      ({ path, title }): Command => ({ id: `page ${path}`, title, group: 'Page' as const, href: path }),
    ),
    ...(superuser
      ? [{ id: 'page /_/', title: 'Database and settings', group: 'Page' as const, href: '/_/' }]
      : []),
    ...(qpuPage
      ? qpus.map((name) => ({
          id: `qpu ${name}`,
          title: name,
          group: 'QPU' as const,
          href: `/qpus/${encodeURIComponent(name)}`,
        }))
      : []),
    ...jobs.map(({ id, name }) => ({
      id: `job ${id}`,
      title: name ? `${name} ${id}` : id,
      group: 'Job' as const,
      href: `/jobs/${id}`,
    })),
    ...actions,
    ...verbs,
  ]
}

const JOB_ID = /^[a-z0-9]{15}$/
const MAX_FOUND = 12
/** Places that are kept for records. */
const MAX_RECORDS = 6

/**
 * The commands whose title has every word of the text, those that begin with it first, then the records that
 * the server has found by it. The id of a job that is not listed is offered as it is. An empty text finds
 * pages and actions.
 */
export function findCommands(
  commands: readonly Command[],
  text: string,
  records: readonly Command[] = [],
): Command[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '')
    return commands
      .filter(({ id, group }) => (group === 'Page' || group === 'Action') && !id.startsWith('verb '))
      .slice(0, MAX_FOUND)
  const words = wanted.split(/\s+/)
  const found = commands
    .map((command) => ({ command, rank: rankOf(command, wanted, words) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank)
    .map(({ command }) => command)
  const isKnown = ({ id }: Command) => found.some((each) => each.id === id)
  const others = records.filter((each) => !isKnown(each))
  const all = [...found.slice(0, MAX_FOUND - Math.min(others.length, MAX_RECORDS)), ...others]
  const isUnlistedJob = JOB_ID.test(wanted) && !all.some(({ id }) => id === `job ${wanted}`)
  const job: Command[] = isUnlistedJob
    ? [{ id: `job ${wanted}`, title: wanted, group: 'Job', href: `/jobs/${wanted}` }]
    : []
  return [...job, ...all].slice(0, MAX_FOUND)
}

function rankOf({ title, group }: Command, wanted: string, words: readonly string[]): number {
  const name = title.toLowerCase()
  const text = `${name} ${group.toLowerCase()}`
  if (!words.every((word) => text.includes(word))) return Number.POSITIVE_INFINITY
  if (name.startsWith(wanted)) return 0
  return name.includes(` ${wanted}`) ? 1 : 2
}
