import * as v from 'valibot'
import type { Job } from '../../../api/model/jobs.ts'
import { useApp } from '../../../app/app.ts'
import { readTags } from '../../../jobs/submission.ts'
import { FormDialog, TextField, useForm } from '../../../parts/form/form.tsx'

interface LabelsDialogProps {
  job: Job
  changed: () => void
  close: () => void
}

const labelled = v.object({ id: v.string() })
const MAX_TAGS = 10
const MAX_TAG_LENGTH = 64

/** Changes the name and the tags of a job. */
export function LabelsDialog({ job, changed, close }: LabelsDialogProps) {
  const { api } = useApp()
  const form = useForm({
    initial: { name: job.name ?? '', tags: (job.tags ?? []).join(', ') },
    check: ({ tags }) => tagProblem(readTags(tags)),
    async submit({ name, tags }) {
      const body = { name: name.trim(), tags: readTags(tags) }
      await api.patch(`/api/jobs/${job.id}?fields=id`, body, labelled)
      changed()
      close()
    },
  })
  return (
    <FormDialog title="Name and tags" form={form} action="Save" close={close}>
      <TextField form={form} name="name" label="Name" autocomplete="off" />
      <TextField form={form} name="tags" label="Tags, with commas between them" autocomplete="off" />
    </FormDialog>
  )
}

function tagProblem(tags: readonly string[]): { tags?: string } {
  if (tags.length > MAX_TAGS) return { tags: `Give at most ${MAX_TAGS} tags` }
  const isLong = tags.some((tag) => tag.length > MAX_TAG_LENGTH)
  return isLong ? { tags: `Give tags of at most ${MAX_TAG_LENGTH} characters` } : {}
}
