import type { DeviceOption } from '../../api/model/equipment/drivers.ts'
import { describedBy, Field } from '../../parts/form/form.tsx'
import { controlOf } from './commands/options.ts'

interface OptionFieldProps {
  id: string
  option: DeviceOption
  value: string
  problem: string | undefined
  onInput: (value: string) => void
}

/** A control for an option of a device. Its key stands below, since logs and errors of the driver name it. */
export function OptionField({ id, option, value, problem, onInput }: OptionFieldProps) {
  const { key, label: name, help, required, secret, unit } = option
  const initial = option.default
  const label = (
    <>
      {name}
      {unit && <span class="soft">, {unit}</span>} {required && <span class="soft">required</span>}
    </>
  )
  const hint = (
    <>
      {help}
      {initial !== null && initial !== '' && `, default ${initial}${unit ? ` ${unit}` : ''}`}
      {secret && '; the commands read it from a file, so that it does not appear in the process list'}.{' '}
      <code>{key}</code>
    </>
  )
  const control = controlOf(option)
  return (
    <div class={control === 'long' ? 'option long' : 'option'}>
      <Field id={id} label={label} error={problem} hint={hint}>
        <Control id={id} option={option} value={value} problem={problem} onInput={onInput} />
      </Field>
    </div>
  )
}

function Control({ id, option, value, problem, onInput }: OptionFieldProps) {
  const { example, choices } = option
  const common = {
    ...describedBy(id, problem),
    id,
    value,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value),
  }
  const usual = option.default ?? example ?? ''
  const choose = (items: readonly [string, string][]) => (
    <select {...common}>
      {items.map(([item, label]) => (
        <option key={item} value={item}>
          {label}
        </option>
      ))}
    </select>
  )
  switch (controlOf(option)) {
    case 'check':
      return choose([
        ['', `Default${option.default === null ? '' : option.default === 'true' ? ' (yes)' : ' (no)'}`],
        ['true', 'Yes'],
        ['false', 'No'],
      ])
    case 'select':
      return choose([
        ['', `Default${option.default === null ? '' : ` (${option.default})`}`],
        ...choices.map((choice): [string, string] => [choice, choice]),
      ])
    case 'secret':
      return choose([
        ['', 'Not used'],
        ['yes', 'Read from a file'],
      ])
    case 'number':
      return <input {...common} inputMode="decimal" placeholder={usual} />
    case 'long':
      return <textarea {...common} rows={3} spellcheck={false} placeholder={usual} />
    default:
      return <input {...common} spellcheck={false} placeholder={usual} />
  }
}
