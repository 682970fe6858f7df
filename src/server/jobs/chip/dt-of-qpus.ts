import * as v from 'valibot'
import type { JsonText } from '../../../db/index.ts'
import { type Qpu, qpuNamed } from '../../../db/store/qpus/index.ts'
import { deviceDescription } from '../../../protocol/index.ts'
import type { ServerContext } from '../../context.ts'
import type { Problem, QpuDt } from '../../programs/messages.ts'

const { dt_s } = deviceDescription.pipe[0].entries
const described = v.object({ dt_s })

/** Where a device publishes none, s. */
const DEFAULT_DT = 1e-9

/** By their description: one that is kept in memory is parsed once. */
const known = new WeakMap<JsonText, number>()

/** Length of one `dt` of the device, s. */
function dtOf(description: JsonText | null): number {
  if (!description?.text.includes('"dt_s":')) return DEFAULT_DT
  const found = known.get(description)
  if (found !== undefined) return found
  const { success, output } = v.safeParse(described, description.value)
  const dt = (success ? output.dt_s : undefined) ?? DEFAULT_DT
  known.set(description, dt)
  return dt
}

/** The QPU that `target` names, a name or an id, with the length of its `dt`; for any QPU (''), every one. */
export function readDts(
  { db, order: { qpus } }: Pick<ServerContext, 'db' | 'order'>,
  target = '',
): Promise<QpuDt[]> {
  return db.read((tx) => {
    const named = target.trim()
    const only = named === '' ? undefined : qpuNamed(qpus.list(tx), named)
    const wanted = named === '' ? qpus.list(tx) : only ? [only] : []
    const descriptions = tx.read(wanted.map(({ id }) => qpus.description(tx, id)))
    return wanted.map(({ id, name, enabled }, at) => {
      return { id, name, isEnabled: enabled, dt: dtOf(descriptions[at] ?? null) }
    })
  })
}

/** The warning of a program with times in `dt` (its path; '' = none), which differs among `qpus`. */
export function dtWarnings(
  path: string,
  qpus: readonly { qpu: Pick<Qpu, 'name' | 'enabled'>; description: JsonText | null }[],
): Problem[] {
  if (path === '') return []
  const dts = qpus
    .filter(({ qpu }) => qpu.enabled)
    .map(({ qpu: { name }, description }) => ({ name, dt: dtOf(description) }))
    .toSorted((one, other) => one.dt - other.dt)
  const [shortest, longest] = [dts[0], dts.at(-1)]
  if (!shortest || !longest || shortest.dt === longest.dt) return []
  const message =
    `The program states times in dt, which is ${shortest.dt} s on ${shortest.name} and ${longest.dt} s on ` +
    `${longest.name}. The dt of the QPU that runs the job counts, and this check takes the shortest; name a ` +
    'QPU with qpu_target.'
  return [{ path, code: 'dt_differs', message }]
}

/**
 * Length of one `dt` in programs for `target`, a name or an id, s; for any QPU (''), that of the one with the
 * shortest, on which waits take the least. Undefined without such a QPU.
 */
export function dtOfTarget(target: string, dts: readonly QpuDt[]): number | undefined {
  if (target === '') {
    const all = dts.filter(({ isEnabled }) => isEnabled).map(({ dt }) => dt)
    return all.length === 0 ? undefined : Math.min(...all)
  }
  return qpuNamed(dts, target)?.dt
}
