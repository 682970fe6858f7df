import { ADMIN_PAGES } from '../../../ui/admin/pages.ts'
import { PAGES } from '../../../ui/pages/index.ts'
import type { Stage } from './stage.ts'

/** Who looks at a page. */
export const ROLES = ['guest', 'user', 'superuser'] as const
export type Role = (typeof ROLES)[number]

/** One page as it is visited by a test or for a screenshot. */
export interface Address {
  /** In file names and titles of tests. */
  name: string
  path: string
  roles: readonly Role[]
}

const BY_ACCESS: Record<string, readonly Role[]> = {
  public: ROLES,
  guest: ['guest'],
  signed_in: ['user', 'superuser'],
  superuser: ['superuser'],
}

/** Addresses of the pages whose path has parameters, and of pages that are worth more than one visit. */
const EXAMPLES: Record<string, (stage: Stage) => Record<string, string>> = {
  '/_/collections/:collection': () => ({ 'admin-records': '/_/collections/users' }),
  '/qpus/:name': () => ({
    qpu: '/qpus/kelvin_25',
    'qpu-table': '/qpus/kelvin_25?view=table&log=1',
    'qpu-maintenance': '/qpus/halcyon_2',
  }),
  '/wall/:name': () => ({ wall: '/wall/kelvin_25' }),
  '/calibrations/history': ({ qpus }) => ({
    'calibrations-history': `/calibrations/history?qpu=${qpus.fermi}&parameter=coherence.t1&element=q0`,
  }),
  '/calibrations/:id': ({ calibration }) => ({
    'calibration-report': `/calibrations/${calibration.done}`,
    'calibration-run': `/calibrations/${calibration.running}`,
  }),
  '/jobs/:id': ({ jobs }) =>
    Object.fromEntries(Object.entries(jobs).map(([name, id]) => [`job-${name}`, `/jobs/${id}`])),
  '/shared/:secret': ({ shared }) => ({
    'shared-job': `/shared/${shared.job}`,
    'shared-report': `/shared/${shared.report}`,
  }),
  '/drivers/:id': ({ monitor }) => ({ driver: `/drivers/${monitor}` }),
}

/** The admin UI as guests and users see it, and a few of its many states. */
const ADMIN: readonly Address[] = [
  { name: 'admin-sign-in', path: '/_/', roles: ['guest', 'user'] },
  { name: 'admin-setup', path: '/_/setup', roles: ['guest'] },
  { name: 'admin-new-record', path: '/_/collections/time_slots?record=new', roles: ['superuser'] },
]

/** The documentation has one template, so that a few documents stand for all. */
const DOCUMENTS = {
  'docs-start': '/docs/',
  'docs-tutorial': '/docs/tutorials/first-job',
  'docs-routes': '/docs/reference/routes',
  'docs-file': '/docs/files/examples/device.ts',
  'docs-missing': '/docs/nowhere',
}

/** Every page of the dashboard, the admin UI and the documentation, with an address that shows it filled. */
export function addressesOf(stage: Stage): Address[] {
  const pages = [...PAGES, ...ADMIN_PAGES].flatMap(({ path, access }) => {
    const roles = BY_ACCESS[access] ?? ROLES
    const examples = EXAMPLES[path]?.(stage) ?? { [nameOf(path)]: path }
    return Object.entries(examples).map(([name, example]) => ({ name, path: example, roles }))
  })
  const unknown = pages.filter(({ path }) => path.includes('/:'))
  if (unknown.length > 0) throw new Error(`Name an address for ${unknown.map(({ path }) => path).join(', ')}`)
  const documents = Object.entries(DOCUMENTS).map(([name, path]) => ({
    name,
    path,
    roles: ['guest'] as const,
  }))
  return [...pages, ...ADMIN, { name: 'missing', path: '/nowhere', roles: ROLES }, ...documents]
}

/** Further states of pages that are worth a picture, but no test of their own. */
export function picturesOf({ calibration, tuner }: Stage): Address[] {
  const report = `/calibrations/${calibration.done}`
  const paths = {
    'qpu-busy': '/qpus/boreas_5',
    'qpu-calibrated': '/qpus/fermi_12',
    'calibration-states': `${report}?routine=three_state_discrimination&target=q1`,
    'calibration-map': `${report}?routine=cz_chevron&target=q0_q1`,
    'calibration-compare': `/calibrations/${calibration.past.at(-1)}?with=${calibration.past[0]}`,
    'calibrations-new': `/calibrations?new=1&on=${tuner}&target=q1&target=q1_q2`,
  }
  return Object.entries(paths).map(([name, path]) => ({ name, path, roles: ['superuser'] }))
}

function nameOf(path: string): string {
  return path === '/' ? 'overview' : path.slice(1).replaceAll('/', '-').replace(/^_/, 'admin')
}
