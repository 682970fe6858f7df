import * as v from 'valibot'

/** A schema that the API reference explains in a sentence. */
export function described<const Schema extends v.GenericSchema>(schema: Schema, text: string) {
  return v.pipe(schema, v.description(text))
}

/** An object that the API reference and the clients know by its name. */
export function shape<const Entries extends v.ObjectEntries>(name: string, entries: Entries) {
  return v.pipe(v.object(entries), v.title(name))
}
