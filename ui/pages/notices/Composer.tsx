import * as v from 'valibot'
import type { Notice } from '../../api/model/notices.ts'
import { useApp } from '../../app/app.ts'
import { parseTime } from '../../lib/time.ts'
import { editedTime, toLocalText } from '../../lib/zone.ts'
import { Dialog } from '../../parts/Dialog.tsx'
import { Field, FormActions, TextField, useForm } from '../../parts/form/form.tsx'
import { Markdown } from '../../parts/Markdown.tsx'
import { useConfirm } from '../../parts/use-confirm.ts'
import { UserPicker } from './UserPicker.tsx'

interface ComposerProps {
  /** The notice to change; a new one without it. */
  notice: Notice | undefined
  path: string
  saved: () => void
  close: () => void
}

/** Writes a notice, with a preview of what users will read. */
export function Composer({ notice, path, saved, close }: ComposerProps) {
  const { api, toast, zone } = useApp()
  const confirm = useConfirm()
  const form = useForm({
    initial: {
      title: notice?.title ?? '',
      description: notice?.description ?? '',
      some: (notice?.target_users.length ?? 0) > 0,
      target_users: notice?.target_users ?? [],
      start_time: toLocal(notice?.start_time, zone.value),
      end_time: toLocal(notice?.end_time, zone.value),
    },
    check: ({ some, target_users }) =>
      some && target_users.length === 0 ? { target_users: 'Choose at least one user' } : {},
    async submit({ start_time, end_time, some, target_users, ...rest }) {
      const body = {
        ...rest,
        target_users: some ? target_users : [],
        start_time: toServer(start_time, notice?.start_time, zone.peek()),
        end_time: toServer(end_time, notice?.end_time, zone.peek()),
      }
      if (notice) await api.patch(`${path}/${notice.id}`, body, v.unknown())
      else await api.post(path, body, v.unknown())
      toast(notice ? 'The notice was changed.' : 'The notice was published.')
      saved()
      close()
    },
  })
  const { title, description, some, target_users } = form.values.value
  const leave = async () => {
    const confirmed =
      !form.changed ||
      (await confirm({
        title: 'Discard the text?',
        action: 'Discard',
        tone: 'bad',
        body: 'It is not saved.',
      }))
    if (confirmed) close()
  }
  return (
    <Dialog
      title={notice ? 'Change the notice' : 'New notice'}
      open
      wide
      onClose={close}
      mayClose={() => {
        if (form.changed) void leave()
        return !form.changed
      }}
    >
      <form class="form" onSubmit={form.submit}>
        <TextField form={form} name="title" label="Title" required />
        <div class="cells">
          <Field
            id={form.id('description')}
            label="Text"
            error={form.error('description')}
            hint="**bold**, *italic*, `code`, lists with -, links as [text](https://…)"
          >
            <textarea
              id={form.id('description')}
              rows={8}
              value={description}
              onInput={({ currentTarget }) => form.set({ description: currentTarget.value })}
              {...form.aria('description')}
            />
          </Field>
          <section aria-label="Preview" class="preview">
            <h3>{title || 'Title'}</h3>
            <Markdown text={description || 'What users will read.'} />
          </section>
        </div>
        <UserPicker some={some} chosen={target_users} error={form.error('target_users')} set={form.set} />
        <div class="cells">
          <TextField
            form={form}
            name="start_time"
            label="From"
            type="datetime-local"
            hint={`${zone.value}; empty: immediately`}
          />
          <TextField
            form={form}
            name="end_time"
            label="Until"
            type="datetime-local"
            hint="Empty: until it is dismissed"
          />
        </div>
        <FormActions form={form} action={notice ? 'Save' : 'Publish'} cancel={() => void leave()} />
      </form>
    </Dialog>
  )
}

/** A time of the server as the field for local times expects it. */
function toLocal(at: string | null | undefined, zone: string): string {
  const ms = parseTime(at)
  return ms === undefined ? '' : toLocalText(ms, zone)
}

/** A local time as the server expects it; `before`: the one that the field showed. */
function toServer(local: string, before: string | null | undefined, zone: string): string {
  const ms = editedTime(local, parseTime(before), zone)
  return ms === undefined ? '' : new Date(ms).toISOString().replace('T', ' ')
}
