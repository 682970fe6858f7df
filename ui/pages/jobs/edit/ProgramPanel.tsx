import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useRef } from 'preact/hooks'
import { useApp } from '../../../app/app.ts'
import { Editor, type EditorHandle } from '../../../editor/Editor.tsx'
import { readProgram } from '../../../jobs/check/read-program.ts'
import { EXAMPLES } from '../../../jobs/examples.ts'
import type { Problem } from '../../../jobs/problems.ts'
import { formatCount } from '../../../lib/format.ts'
import { Menu } from '../../../parts/Menu.tsx'
import { Panel } from '../../../parts/Panel.tsx'
import { Problems } from './Problems.tsx'

interface ProgramPanelProps {
  texts: readonly string[]
  chosen: Signal<number>
  problems: readonly Problem[]
  line: Signal<number | undefined>
  editor: RefObject<EditorHandle | null>
  changed: (text: string) => void
  /** Adds programs; the first replaces the current one if `isReplacing`. */
  add: (programs: readonly { text: string; sets?: string[][] }[], isReplacing: boolean) => void
  remove: () => void
}

/** The editor of one of the programs with its problems, examples and files. */
export function ProgramPanel(props: ProgramPanelProps) {
  const { texts, chosen, problems, line, editor, changed, add, remove } = props
  const text = texts[chosen.value] ?? ''
  const { toast } = useApp()
  const isOver = useSignal(false)
  const load = async (list: FileList | null | undefined) => {
    const read = await Promise.all([...(list ?? [])].map(readProgram))
    for (const each of read) if ('refused' in each) toast(each.refused, 'bad')
    const programs = read.filter((each) => 'text' in each)
    if (programs.length > 0) add(programs, true)
  }
  return (
    <Panel
      title={texts.length > 1 ? `Program ${chosen.value + 1} of ${texts.length}` : 'Program'}
      aside={
        <div class="actions">
          <span class="soft">
            {/^\s*OPENQASM\s+2/m.test(text) ? 'OpenQASM 2' : 'OpenQASM 3'},{' '}
            {formatCount(text.split('\n').length)} lines
          </span>
          <Menu
            button="Examples"
            items={EXAMPLES.map((example) => ({
              title: example.name,
              run: () => add([{ text: example.text, sets: example.sets ?? [] }], true),
            }))}
          />
          <LoadFile load={load} />
          <button type="button" onClick={() => add([{ text }], false)}>
            Add program
          </button>
        </div>
      }
    >
      {texts.length > 1 && <ProgramChoice count={texts.length} chosen={chosen} remove={remove} />}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: "Load file" does the same by keyboard */}
      <div
        class={isOver.value ? 'padded over' : 'padded'}
        onDragOver={(event) => {
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault()
          isOver.value = false
          void load(event.dataTransfer?.files)
        }}
      >
        <Editor
          key={chosen.value}
          text={text}
          label="OpenQASM program"
          problems={problems}
          line={line.value}
          handle={editor}
          changed={changed}
          moved={(at) => (line.value = at)}
        />
        <Problems text={text} problems={problems} editor={editor} />
      </div>
    </Panel>
  )
}

function LoadFile({ load }: { load: (list: FileList | null) => Promise<void> }) {
  const files = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" onClick={() => files.current?.click()}>
        Load file
      </button>
      <input
        ref={files}
        type="file"
        class="unseen"
        tabIndex={-1}
        aria-label="OpenQASM files"
        multiple
        accept=".qasm,.txt"
        onChange={({ currentTarget }) => {
          void load(currentTarget.files).then(() => {
            currentTarget.value = ''
          })
        }}
      />
    </>
  )
}

interface ProgramChoiceProps {
  count: number
  chosen: Signal<number>
  remove: () => void
}

function ProgramChoice({ count, chosen, remove }: ProgramChoiceProps) {
  return (
    <div class="padded actions">
      {Array.from({ length: count }, (_, index) => (
        <button
          key={index}
          type="button"
          aria-pressed={index === chosen.value}
          onClick={() => (chosen.value = index)}
        >
          <span class="unseen">Program </span>
          {index + 1}
        </button>
      ))}
      <button type="button" class="quiet" onClick={remove}>
        Remove this program
      </button>
    </div>
  )
}
