/** A value as its JSON text, which is stored or sent without being parsed: that would take longer. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }

  /** Parses the text, for consumers that need the value. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** The JSON text of a value. */
export function jsonTextOf(value: unknown): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value)
}
