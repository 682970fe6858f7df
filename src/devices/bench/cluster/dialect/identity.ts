import * as v from 'valibot'
import { MODULE_KINDS, type ModuleName } from '../../../chip/hardware/modules.ts'
import { ClusterError } from '../connection/reply.ts'

/**
 * How modules are addressed: up to version 1.0 of the command set, `prefixed` commands name the slot and go
 * to the cluster; from 1.1 on every module is on a port of its own (`ported`).
 */
export type Dialect = 'prefixed' | 'ported'

/** What a cluster says of itself. */
export interface Identity {
  /** The reply as it came, for logs and snapshots. */
  text: string
  dialect: Dialect
  /** Version of the command set, such as `1.1`; `0.1` when the reply names none. */
  version: string
  /** Whether this version is newer than those that are known. */
  isUnknown: boolean
}

/** The versions that are known. */
const PORTED_SINCE = [1, 1] as const
const NEWEST = [1, 1] as const

/**
 * The identity in a reply to `*IDN?`: vendor, model, serial number and versions.
 * @throws ClusterError when something else than a cluster has answered.
 */
export function identityOf(text: string): Identity {
  const [, model = ''] = text.split(',')
  if (!/^cluster\b/i.test(model.trim())) {
    throw new ClusterError(`it is no cluster: it identifies itself as ${JSON.stringify(text.slice(0, 200))}`)
  }
  const [, major = 0, minor = 1] = (/\bswSCPIVersion=(\d+)\.(\d+)/.exec(text) ?? []).map(Number)
  const isFrom = ([least, below]: readonly [number, number]) =>
    major > least || (major === least && minor >= below)
  return {
    text,
    dialect: isFrom(PORTED_SINCE) ? 'ported' : 'prefixed',
    version: `${major}.${minor}`,
    isUnknown: isFrom([NEWEST[0], NEWEST[1] + 1]),
  }
}

const description = v.looseObject({
  modules: v.record(
    v.pipe(v.string(), v.regex(/^\d{1,2}$/)),
    v.looseObject({ model: v.pipe(v.string(), v.maxLength(100)), is_rf: v.optional(v.boolean(), false) }),
  ),
})

/**
 * The modules in a reply to `*DESCribe?`, by slot: their names as in a hardware file, or what the cluster
 * calls those of other kinds.
 * @throws ClusterError for a reply of another form.
 */
export function modulesOf(block: Uint8Array): ReadonlyMap<number, ModuleName | (string & {})> {
  let content: unknown
  try {
    content = JSON.parse(Buffer.from(block).toString('utf8'))
  } catch (cause) {
    throw new ClusterError('the description of the cluster is not JSON', { cause })
  }
  const parsed = v.safeParse(description, content)
  if (!parsed.success) throw new ClusterError('the description of the cluster has no modules')
  return new Map(
    Object.entries(parsed.output.modules).map(([slot, { model, is_rf }]) => {
      const base = model.replace(/^cluster[_ -]/i, '').toUpperCase()
      // The front end of a QRC is part of its name.
      const name = is_rf && `${base}_RF` in MODULE_KINDS ? `${base}_RF` : base
      return [Number(slot), name]
    }),
  )
}
