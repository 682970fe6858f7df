import type { FieldError } from '../../base/index.ts'

/** The error of an empty value in a required field. */
export const BLANK: FieldError = { code: 'validation_required', message: 'Cannot be blank.' }

/** The error of a relation whose target does not exist. */
export const MISSING_RELATION: FieldError = {
  code: 'validation_missing_rel_records',
  message: 'Failed to find all relation records with the provided ids.',
}

/** The error of a value that another record has already. */
export const NOT_UNIQUE: FieldError = { code: 'validation_not_unique', message: 'Value must be unique.' }

/** The error of an id that another record of the collection has. */
export const TAKEN_ID: FieldError = {
  code: 'validation_pk_invalid',
  message: 'The record primary key is invalid or already exists.',
}
