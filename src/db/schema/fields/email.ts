import type { FieldError } from '../../../base/index.ts'
import type { Field, FieldKind, FieldOptions } from '../field.ts'
import { isUnset, plainText } from '../plain-text.ts'

const EMAIL = /^[^\s@"<>()[\],;:\\]+@[^\s@.]+(\.[^\s@.]+)+$/
const MAX_LENGTH = 254

interface EmailOptions extends FieldOptions {
  /** No two records share an address; empty ones are not compared. */
  readonly unique?: boolean
}

/** An e-mail address or ''. */
interface EmailField extends EmailOptions, Field {
  readonly kind: FieldKind<EmailField, string>
}

const NOT_EMAIL: FieldError = { code: 'validation_is_email', message: 'Must be a valid email address.' }

const emailKind: FieldKind<EmailField, string> = {
  ...plainText,
  normalize: addressFrom,
  check: (_field, value) =>
    typeof value === 'string' && value.length <= MAX_LENGTH && EMAIL.test(value) ? undefined : NOT_EMAIL,
  publicType: 'email',
  publicOptions: () => ({}),
  isPersonal: true,
  isAudited: false,
}

/** Declares an e-mail address. */
export function email(options: EmailOptions = {}): EmailField {
  return { kind: emailKind, ...options }
}

/** Two addresses that differ only in case belong to the same person. */
function addressFrom(input: unknown): unknown {
  if (isUnset(input)) return ''
  return typeof input === 'string' ? input.trim().toLowerCase() : input
}
