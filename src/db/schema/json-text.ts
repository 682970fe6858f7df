import type { AnyCollection } from './collection.ts'

/**
 * A value as its JSON text, which is stored or sent without being parsed: that would take longer.
 * `encodeJson` inserts the text; `JSON.stringify` parses it.
 */
export class JsonText {
  /** The text in UTF-8, if it was given so: SQLite stores it without conversion. */
  readonly bytes: Uint8Array | undefined
  #text: string | undefined

  /** `text` may be in UTF-8 and is decoded on first use. */
  constructor(text: string | Uint8Array) {
    if (typeof text === 'string') this.#text = text
    else this.bytes = text
  }

  get text(): string {
    this.#text ??= new TextDecoder().decode(this.bytes)
    return this.#text
  }

  /** Bytes of the text in UTF-8. */
  get byteLength(): number {
    return this.bytes?.byteLength ?? Buffer.byteLength(this.text)
  }

  get value(): unknown {
    return JSON.parse(this.text)
  }

  toJSON(): unknown {
    if (!inserted) return this.value
    inserted.push(this)
    return PLACE
  }
}

/**
 * A large value of a record that stays in the database until it is sent: its JSON text is read in slices,
 * see `readSlice`. Only `encodeParts` can encode it.
 */
export class StoredJson {
  readonly collection: AnyCollection
  readonly record: string
  readonly field: string
  /** Length of the JSON text when the record was read. */
  readonly bytes: number

  constructor(
    collection: AnyCollection,
    { record, field, bytes }: { record: string; field: string; bytes: number },
  ) {
    this.collection = collection
    this.record = record
    this.field = field
    this.bytes = bytes
  }

  toJSON(): unknown {
    if (!inserted) throw unread(this)
    inserted.push(this)
    return PLACE
  }
}

/** Stands for a text in the encoding of `encodeJson`; no value of a client can contain it. */
const PLACE = `json-text-${crypto.randomUUID()}`
/** The texts that the encoding in progress has to insert, in their order. */
let inserted: (JsonText | StoredJson)[] | undefined

/** `JSON.stringify` that inserts each `JsonText` as it is. @throws TypeError for a `StoredJson`. */
export function encodeJson(value: unknown): string {
  return encodeParts(value)
    .map((part) => {
      if (part instanceof StoredJson) throw unread(part)
      return part
    })
    .join('')
}

/** The JSON text of a value in parts, of which some are still in the database. */
export function encodeParts(value: unknown): (string | StoredJson)[] {
  return partsOf(value).map((part) => (part instanceof JsonText ? part.text : part))
}

/** As `encodeJson`, in UTF-8: texts that are in UTF-8 already are not converted. @throws as `encodeJson`. */
export function encodeJsonBytes(value: unknown): Uint8Array {
  const bytes = partsOf(value).map((part) => {
    if (part instanceof StoredJson) throw unread(part)
    return part instanceof JsonText ? (part.bytes ?? Buffer.from(part.text)) : Buffer.from(part)
  })
  return bytes.length === 1 && bytes[0] ? bytes[0] : Buffer.concat(bytes)
}

function unread({ field, record }: StoredJson): TypeError {
  return new TypeError(`${field} of ${record} is encoded without being read`)
}

function partsOf(value: unknown): (string | JsonText | StoredJson)[] {
  const large: (JsonText | StoredJson)[] = []
  inserted = large
  let encoded: string
  try {
    encoded = JSON.stringify(value)
  } finally {
    inserted = undefined
  }
  if (large.length === 0) return [encoded]
  return encoded.split(JSON.stringify(PLACE)).flatMap((part, at) => {
    const next = large[at]
    return next === undefined ? [part] : [part, next]
  })
}

/** The JSON text of a value. */
export function jsonTextOf(value: unknown): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value)
}

/** Bytes of the JSON texts among the values of `fields`; values that are no texts are small. */
export function textBytes(fields: object): number {
  const texts = Object.values(fields).filter((value) => value instanceof JsonText)
  return texts.reduce((bytes, text) => bytes + text.byteLength, 0)
}
