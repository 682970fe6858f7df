import type { Collection, Field, Row } from '../collections/model.ts'
import type { Input, Control as Kind } from './form.ts'
import { RelationPicker } from './RelationPicker.tsx'

interface ControlProps {
  id: string
  field: Field
  all: readonly Collection[]
  row: Row | undefined
  control: Kind
  value: Input
  isInvalid: boolean
  set: (input: Input) => void
}

/** The control of a field, by its kind. */
export function Control(props: ControlProps) {
  switch (props.control) {
    case 'bool':
      return <Check {...props} />
    case 'choice':
      return <OneOf {...props} />
    case 'choices':
      return <SomeOf {...props} />
    case 'relation':
    case 'relations':
      return <Related {...props} />
    case 'json':
    case 'lines':
      return <Lines {...props} />
    default:
      return <Line {...props} />
  }
}

function attributesOf({ id, field, isInvalid }: ControlProps) {
  return {
    id,
    name: field.name,
    'aria-describedby': `${id}-kind${isInvalid ? ` ${id}-error` : ''}`,
    ...(isInvalid && { 'aria-invalid': true }),
  }
}

function textOf({ value }: ControlProps): string {
  return typeof value === 'string' ? value : ''
}

function listOf({ value }: ControlProps): readonly string[] {
  return typeof value === 'object' ? value : []
}

function Check(props: ControlProps) {
  const { value, set } = props
  return (
    <span class="check">
      <input
        {...attributesOf(props)}
        type="checkbox"
        checked={value === true}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
      />
      {value === true ? 'yes' : 'no'}
    </span>
  )
}

function OneOf(props: ControlProps) {
  const { field, set } = props
  const text = textOf(props)
  return (
    <select {...attributesOf(props)} value={text} onChange={({ currentTarget }) => set(currentTarget.value)}>
      {(!field.required || text === '') && <option value="">–</option>}
      {field.values.map((each) => (
        <option key={each} value={each}>
          {each}
        </option>
      ))}
    </select>
  )
}

function SomeOf(props: ControlProps) {
  const { id, field, set } = props
  const list = listOf(props)
  return (
    <div class="choice" id={id}>
      {field.values.map((each) => (
        <label key={each}>
          <input
            type="checkbox"
            checked={list.includes(each)}
            onChange={({ currentTarget }) =>
              set(currentTarget.checked ? [...list, each] : list.filter((other) => other !== each))
            }
          />
          {each}
        </label>
      ))}
    </div>
  )
}

function Related(props: ControlProps) {
  const { id, field, all, row, control, isInvalid, set } = props
  const text = textOf(props)
  const isOne = control === 'relation'
  const one = text === '' ? [] : [text]
  return (
    <RelationPicker
      id={id}
      field={field}
      all={all}
      row={row}
      isInvalid={isInvalid}
      ids={isOne ? one : listOf(props)}
      set={(ids) => set(isOne ? (ids.at(-1) ?? '') : ids)}
    />
  )
}

function Lines(props: ControlProps) {
  const { control, set } = props
  const text = textOf(props)
  return (
    <textarea
      {...attributesOf(props)}
      class={control === 'json' ? 'mono' : undefined}
      rows={Math.min(14, Math.max(2, text.split('\n').length))}
      spellcheck={control === 'lines'}
      value={text}
      onInput={({ currentTarget }) => set(currentTarget.value)}
    />
  )
}

function Line(props: ControlProps) {
  const { control, set } = props
  const common = {
    ...attributesOf(props),
    value: textOf(props),
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => set(currentTarget.value),
  }
  if (control === 'password') return <input {...common} type="password" autocomplete="new-password" />
  return (
    <input
      {...common}
      // The browser would swallow what is not a number; the form says what is wrong with it.
      inputMode={control === 'number' ? 'decimal' : 'text'}
      autocomplete="off"
      placeholder={control === 'date' ? '2026-01-31 09:05' : undefined}
    />
  )
}
