import type { App } from '../../app/app.ts'

/** The address of records of a collection, with its query. */
export function recordsPath(
  app: App,
  collection: string,
  query: Record<string, string | number | undefined>,
  id = '',
): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  const path = `/api/collections/${app.named(collection)}/records${id && `/${encodeURIComponent(id)}`}`
  return search.size > 0 ? `${path}?${search}` : path
}

/** Fields of a listed report: never its routines, which may have megabytes. */
export const REPORT_FIELDS =
  'id,driver,qpu,request,mode,status,started_at,finished_at,device_file,traces_stripped,recalled'
/** Fields of a listed request. */
export const REQUEST_FIELDS =
  'id,driver,mode,status,progress.step,progress.total,progress.routine,progress.target,target_qubits,error,started_at,finished_at,result,created'

/** A text as it stands in a filter. */
export function quoted(text: string): string {
  return JSON.stringify(text)
}
