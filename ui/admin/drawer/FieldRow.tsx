import type { Signal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { Moment } from '../../parts/Moment.tsx'
import { type Collection, type Field, isLarge, type Row, targetOf } from '../collections/model.ts'
import { Value } from '../collections/Value.tsx'
import { Control } from './Control.tsx'
import { fromControl } from './dates.ts'
import { type Change, controlOf, describeField, type Input, toInput } from './form.ts'
import { LargeValue } from './LargeValue.tsx'

interface FieldRowProps {
  collection: Collection
  all: readonly Collection[]
  field: Field
  row: Row | undefined
  /** Large values that were loaded, by field. */
  large: Signal<Record<string, unknown>>
  /** What the control holds; undefined while it is untouched. */
  input: Input | undefined
  change: Change | undefined
  /** Why the server refused the value. */
  refused: string | undefined
  set: (input: Input) => void
}

/** A field with its kind, its control and, once it was changed, its old value. */
export function FieldRow(props: FieldRowProps) {
  const { collection, all, field, row, large, input, change, refused, set } = props
  const id = useId()
  const { zone } = useApp()
  const control = controlOf(field, row === undefined)
  const target = targetOf(field, all)?.name
  const isUnloaded = row !== undefined && isLarge(field) && !(field.name in large.value)
  const problem = change && 'problem' in change.after ? change.after.problem : refused
  const value = input ?? toInput(field, row ? { ...row, ...large.value }[field.name] : undefined, zone.value)
  return (
    <div class={problem ? 'field record-field invalid' : 'field record-field'} data-field={field.name}>
      <div class="field-head">
        <label for={id}>
          <code>{field.name}</code>
        </label>
        <span id={`${id}-kind`}>{describeField(field, target, row === undefined)}</span>
      </div>
      {isUnloaded ? (
        <LargeValue collection={collection} field={field} id={row.id} large={large} />
      ) : control === 'fixed' ? (
        <output id={id} class="fixed">
          {row && <Value row={{ ...row, ...large.value }} field={field} all={all} />}
        </output>
      ) : (
        <Control
          id={id}
          field={field}
          all={all}
          row={row}
          control={control}
          value={value}
          set={set}
          isInvalid={problem !== undefined}
        />
      )}
      {control === 'date' && typeof value === 'string' && value !== '' && (
        <p class="hint">{utcOf(value, zone.value)}</p>
      )}
      {change && row && <Before change={change} all={all} row={row} />}
      {problem && (
        <p class="field-error" id={`${id}-error`} role="alert">
          {problem}
        </p>
      )}
      {field.help && <p class="hint">{field.help}</p>}
    </div>
  )
}

function utcOf(text: string, zone: string): string {
  const stored = fromControl(text, zone)
  return stored ? `${stored.slice(0, 19)} UTC` : ''
}

/** The stored value of a changed field. */
function Before({ change, all, row }: { change: Change; all: readonly Collection[]; row: Row }) {
  const { field, before } = change
  if (field.type === 'password') return <p class="was">The password is replaced</p>
  if (field.type === 'json') return <p class="was">Changed</p>
  const isEmpty = before === '' || before === undefined || before === null
  return (
    <p class="was">
      was{' '}
      {isEmpty ? (
        'empty'
      ) : field.type === 'date' ? (
        <Moment at={String(before)} />
      ) : (
        <Value row={row} field={field} all={all} />
      )}
    </p>
  )
}
