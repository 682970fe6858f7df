import { weekOf } from '../../../ui/pages/bookings/logic/week.ts'
import type { Stage } from '../stage/stage.ts'

/** A page, and how its texts differ before and after `makeChanges()`. */
export interface OpenedPage {
  path: string
  /** Shown only before. */
  stale?: RegExp
  /** Shown only afterwards. */
  fresh?: RegExp
  /** Shown before and afterwards, with other counts. */
  changing?: RegExp
}

type Texts = Omit<OpenedPage, 'path'>

/** The pages that one account has open: at most five, since an account has at most five event streams. */
export interface Tabs {
  who: 'user' | 'second' | 'third' | 'superuser'
  pages: OpenedPage[]
}

/** Every page that shows what can change, with its texts before and after `makeChanges()`. */
export function openedPages({ jobs, calibration, monitor, others, firstSlot }: Stage): Tabs[] {
  const maintenance = { stale: /warmed up, back on Monday/, fresh: /Calibrating the readout/ }
  const request = { stale: /two more sweeps/, fresh: /A chapter for my thesis/ }
  const notice = { stale: /New queue policy/, fresh: /Power cut over/ }
  const nameOf = (at: number) => new RegExp(`^${others[at]?.email.split('@')[0]}$`)
  return [
    tabsOf('user', {
      '/jobs?q=Fourier': { stale: /^Pending/, fresh: /^Cancelled$/ },
      [`/jobs/${jobs.waiting}`]: { stale: /^Pending/, fresh: /^Cancelled/ },
      [`/bookings?week=${weekOf(firstSlot)}`]: { stale: /^Your slot$/, fresh: /You have no upcoming slots/ },
      '/qpu-time': request,
      '/accounting': { changing: /of QPU time in \d+ jobs/ },
    }),
    tabsOf('second', {
      '/notices': notice,
      '/settings/profile': { stale: nameOf(0), fresh: /^renamed$/ },
      '/settings/tokens': { stale: /display in the corridor/, fresh: /display at the door/ },
      '/settings/webhooks': { stale: /You have no webhooks/, fresh: /hooks\/recovered/ },
    }),
    tabsOf('third', {
      '/': maintenance,
      '/qpus/halcyon_2': maintenance,
      '/calibrations': { stale: /step \d+ of \d+/, fresh: /^No calibration is running or waiting/ },
      [`/calibrations/${calibration.running}`]: { stale: /^Step \d+ of/, fresh: /^Failed$/ },
      '/monitoring': { stale: /Mixing chamber warm/, fresh: /Still too warm/ },
    }),
    tabsOf('superuser', {
      '/qpus': maintenance,
      '/drivers': { stale: /^Register a monitor of fermi_12$/, fresh: /^late_monitor$/ },
      [`/drivers/${monitor}`]: { stale: /^Disable…$/, fresh: /^Enable$/ },
      '/users': { stale: nameOf(0), fresh: /^renamed$/ },
      '/time-requests': request,
    }),
    tabsOf('superuser', {
      '/notices': notice,
      '/_': { changing: /^webhooks\s*\d+/ },
      '/_/collections/notifications': notice,
      '/_/audit': { fresh: /^webhook\.create$/ },
    }),
    tabsOf('superuser', {
      '/_/logs': { fresh: /started|ready|listen/i },
      '/_/settings': { fresh: /Aurora quantum/ },
      '/_/tasks': { fresh: /Succeeded/ },
      '/_/backups': { stale: /There is no backup yet/, fresh: /^svc-.*\.db$/ },
    }),
  ]
}

function tabsOf(who: Tabs['who'], pages: Readonly<Record<string, Texts>>): Tabs {
  return { who, pages: Object.entries(pages).map(([path, texts]) => ({ path, ...texts })) }
}
