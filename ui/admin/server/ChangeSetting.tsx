import { useApp } from '../../app/app.ts'
import { FormDialog, TextField, useForm } from '../../parts/form/form.tsx'
import { reloaded, type Setting } from './model.ts'

interface ChangeSettingProps {
  setting: Setting
  changed: () => void
  close: () => void
}

/** Changes a setting in the config file while the server runs; an empty value is its default. */
export function ChangeSetting({ setting, changed, close }: ChangeSettingProps) {
  const { api, toast } = useApp()
  const { name, value: before, default: unset, help } = setting
  const form = useForm({
    initial: { value: before },
    async submit({ value }) {
      await api.patch('/api/op/config', { name, value: value.trim() || null, before }, reloaded)
      close()
      changed()
      toast(`In force: ${name}.`)
    },
  })
  return (
    <FormDialog title={`Change ${name}`} form={form} action="Change" close={close}>
      <p>{help}.</p>
      <TextField
        form={form}
        name="value"
        label="Value"
        hint={`Empty for the default, ${unset || 'not set'}`}
      />
    </FormDialog>
  )
}
