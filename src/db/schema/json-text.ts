/**
 * A value as its JSON text, which is stored or sent without being parsed: that would take longer.
 * `encodeJson` inserts the text; `JSON.stringify` parses it.
 */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  get value(): unknown {
    return JSON.parse(this.text)
  }

  toJSON(): unknown {
    if (!inserted) return this.value
    inserted.push(this.text)
    return PLACE
  }
}

/** Stands for a text in the encoding of `encodeJson`; no value of a client can contain it. */
const PLACE = `json-text-${crypto.randomUUID()}`
/** The texts that the encoding in progress has to insert, in their order. */
let inserted: string[] | undefined

/** `JSON.stringify` that inserts each `JsonText` as it is. */
export function encodeJson(value: unknown): string {
  const texts: string[] = []
  inserted = texts
  let encoded: string
  try {
    encoded = JSON.stringify(value)
  } finally {
    inserted = undefined
  }
  if (texts.length === 0) return encoded
  const parts = encoded.split(JSON.stringify(PLACE))
  return parts.map((part, at) => part + (texts[at] ?? '')).join('')
}

/** The JSON text of a value. */
export function jsonTextOf(value: unknown): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value)
}
