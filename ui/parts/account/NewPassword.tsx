import { type Form, TextField } from '../form/form.tsx'

/** A new password, entered twice; the names are those of the request. */
interface Passwords {
  password: string
  passwordConfirm: string
}

interface NewPasswordProps {
  form: Form<Passwords>
  /** What the account has: "password", "new password". */
  word?: string
  hint?: string
}

/** The two fields of a new password. */
export function NewPassword({ form, word = 'password', hint = 'At least 8 characters' }: NewPasswordProps) {
  const common = { form, type: 'password', autocomplete: 'new-password', required: true } as const
  const label = word.charAt(0).toUpperCase() + word.slice(1)
  return (
    <>
      <TextField {...common} name="password" label={label} hint={hint} />
      <TextField {...common} name="passwordConfirm" label={`Repeat the ${word}`} />
    </>
  )
}

/** The messages of a form whose passwords differ. */
export function checkPasswords({ password, passwordConfirm }: Passwords): { passwordConfirm?: string } {
  return password === passwordConfirm ? {} : { passwordConfirm: 'The passwords differ' }
}
