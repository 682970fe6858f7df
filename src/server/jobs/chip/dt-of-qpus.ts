import * as v from 'valibot'
import type { JsonText } from '../../../db/index.ts'
import { normalName } from '../../../db/store/qpus/index.ts'
import { deviceDescription } from '../../../protocol/index.ts'
import type { ServerContext } from '../../context.ts'
import type { QpuDt } from '../../programs/messages.ts'

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

/** Every QPU with the length of its `dt`. */
export function readDts({ db, order: { qpus } }: Pick<ServerContext, 'db' | 'order'>): Promise<QpuDt[]> {
  return db.read((tx) => {
    const all = qpus.list(tx)
    const descriptions = tx.read(all.map(({ id }) => qpus.description(tx, id)))
    return all.map(({ id, name, enabled }, at) => {
      return { id, name, isEnabled: enabled, dt: dtOf(descriptions[at] ?? null) }
    })
  })
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
  const name = normalName(target)
  return (dts.find((qpu) => qpu.name === name) ?? dts.find(({ id }) => id === target))?.dt
}
