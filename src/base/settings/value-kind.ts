/** How the text of a flag, a variable, a config key or a `-o` option becomes a value. */
export interface ValueKind<T> {
  /** Placeholder in `--help` and in the reference; empty for switches, which need no value. */
  readonly hint: string
  /** The accepted words, if only these are. */
  readonly choices?: readonly string[]
  /** Values of this kind appear in no message and in no listing. */
  readonly isSecret?: true
  /** Values of this kind are paths, which drivers accept only in safe locations. */
  readonly isPath?: true
  /** @throws ValueError that says what is accepted. */
  parse(text: string): T
  /** The text that `parse` reads as `value`. */
  format(value: T): string
}
