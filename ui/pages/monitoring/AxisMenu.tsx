import { useQuery } from '../../app/use-query.ts'
import { FormDialog, TextField, useForm } from '../../parts/form/form.tsx'
import { useDialog } from '../../parts/form/use-dialog.ts'
import { Menu } from '../../parts/Menu.tsx'
import { changeAxis, describeAxis, type ValueAxis } from './readings/value-axis.ts'

interface AxisMenuProps {
  title: string
  unit: string
  axis: ValueAxis
  /** Whether all values are positive. */
  mayBeLogarithmic: boolean
}

/** Chooses the value axis of a plot; the address keeps the choice. */
export function AxisMenu({ title, unit, axis, mayBeLogarithmic }: AxisMenuProps) {
  const query = useQuery()
  const choose = (chosen: ValueAxis) => query.set({ axis: changeAxis(query.all('axis'), unit, chosen) })
  const [shown, open] = useDialog((_, close) => (
    <AxisDialog title={title} unit={unit} axis={axis} choose={choose} close={close} />
  ))
  const usual = (['log', 'linear', 'each'] as const).filter((one) => one !== 'log' || mayBeLogarithmic)
  return (
    <>
      <Menu
        class="link"
        button={`${describeAxis(axis, unit)} ▾`}
        label={`Value axis of ${title}: ${describeAxis(axis, unit)}`}
        items={[
          ...usual.map((one) => ({ title: describeAxis(one, unit), run: () => choose(one) })),
          { title: 'From … to …', run: () => open() },
        ]}
      />
      {shown}
    </>
  )
}

interface AxisDialogProps {
  title: string
  unit: string
  axis: ValueAxis
  choose: (axis: ValueAxis) => void
  close: () => void
}

function AxisDialog({ title, unit, axis, choose, close }: AxisDialogProps) {
  const [low = '', high = ''] = typeof axis === 'string' ? [] : axis
  const form = useForm({
    initial: { low: String(low), high: String(high) },
    check: (values) => ({
      ...(!isNumber(values.low) && { low: 'Enter a number.' }),
      ...(!isNumber(values.high) && { high: 'Enter a number.' }),
      ...(Number(values.low) >= Number(values.high) && { high: 'Enter a value above the first one.' }),
    }),
    async submit(values) {
      choose([Number(values.low), Number(values.high)])
      close()
    },
  })
  const suffix = unit && `, in ${unit}`
  return (
    <FormDialog title={`Value axis of ${title}`} form={form} action="Show" close={close}>
      <div class="cells">
        <TextField form={form} name="low" label={`From${suffix}`} placeholder="0.009" />
        <TextField form={form} name="high" label={`To${suffix}`} placeholder="0.013" />
      </div>
    </FormDialog>
  )
}

function isNumber(text: string): boolean {
  return text.trim() !== '' && Number.isFinite(Number(text))
}
