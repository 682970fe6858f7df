import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { useResource } from '../../app/use-resource.ts'
import { formatNumberOf, sentence } from '../../lib/format.ts'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { Check } from '../../parts/form/form.tsx'
import { useDialog } from '../../parts/form/use-dialog.ts'
import { Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { BookTable } from '../../parts/table/BookTable.tsx'
import { shellQuoted } from '../snippets/quote.ts'
import { ChangeSetting } from './ChangeSetting.tsx'
import { reloaded, type Setting, settings, toYaml } from './model.ts'

/**
 * The settings in force, each with the place where it was given. Those that may change while the server runs
 * are changed here in the config file, all others where they were given.
 */
export function Settings() {
  const { api, attempt, toast } = useApp()
  const query = useQuery()
  const all = useResource((abort) => api.get('/api/op/config', settings, abort), [])
  const reload = async () => {
    await attempt(async () => {
      const { changed } = await api.post('/api/op/config/reload', {}, reloaded)
      toast(changed.length === 0 ? 'Reloaded: nothing has changed.' : `In force: ${changed.join(', ')}.`)
    })
    void all.load()
  }
  const [dialog, change] = useDialog<Setting>((setting, close) => (
    <ChangeSetting setting={setting} changed={() => void all.load()} close={close} />
  ))
  const [text, given] = [query.get('q').toLowerCase(), query.get('given') === 'true']
  const list = all.value.value?.settings ?? []
  const shown = list.filter((each) => matches(each, text) && (!given || each.source !== 'default'))
  const groups = [...new Set(shown.map(({ group }) => group))]
  const later = list.filter(({ next_value: next }) => next !== null)
  return (
    <>
      <Heading title="Settings" lead={list.length > 0 && leadOf(list)}>
        <button type="button" onClick={() => void reload()}>
          Reload the config file
        </button>
        <CopyButton text={toYaml(list)} label="Copy as YAML" />
      </Heading>
      {later.length > 0 && (
        <p class="notice tone-warn">
          {sentence(formatNumberOf(later.length, 'setting'))} {later.length === 1 ? 'has' : 'have'} another
          value at the next start: {later.map(({ name }) => name).join(', ')}.
        </p>
      )}
      <div class="actions filters">
        <input
          type="search"
          aria-label="Search settings"
          placeholder="Name, flag or purpose"
          value={query.get('q')}
          onInput={({ currentTarget }) => query.set({ q: currentTarget.value })}
        />
        <Check checked={given} set={(isChecked) => query.set({ given: isChecked })}>
          Only settings that were set
        </Check>
      </div>
      <Loaded of={all} task="load the settings" rows={12}>
        {() => (
          <div class="stack">
            {groups.length === 0 && <Empty>No setting matches.</Empty>}
            {groups.map((group) => (
              <Panel key={group} title={group}>
                <Table
                  settings={shown.filter((each) => each.group === group)}
                  label={group}
                  change={change}
                />
              </Panel>
            ))}
          </div>
        )}
      </Loaded>
      {dialog}
    </>
  )
}

function matches({ name, flag, help, variable, value }: Setting, text: string): boolean {
  return [name, flag, help, variable, value].some((each) => each.toLowerCase().includes(text))
}

function leadOf(list: readonly Setting[]): string {
  const given = list.filter(({ source }) => source !== 'default').length
  return `${sentence(formatNumberOf(given, 'setting'))} given, ${list.length - given} with their defaults.`
}

/** The words of the command line that give a setting its present value. */
function flagOf({ flag, value, default: unset, secret }: Setting): string {
  return `${flag} ${secret ? 'SECRET' : shellQuoted(value || unset || 'VALUE')}`
}

interface TableProps {
  settings: readonly Setting[]
  label: string
  change: (setting: Setting) => void
}

function Table({ settings: rows, label, change }: TableProps) {
  return (
    <div class="scroll">
      <BookTable head={['Setting', 'Value', 'Source']} class="folds settings" label={label}>
        {rows.map((each) => (
          <tr key={each.name} class={each.source === 'default' ? undefined : 'given'}>
            <th scope="row">
              <code>{each.name}</code>
              <p>{each.help}</p>
            </th>
            <td data-title="Value">
              {each.value === '' ? <span class="soft">not set</span> : <code>{each.value}</code>}
              {each.secret && each.value !== '' && <span class="soft"> secret</span>}
              {each.next_value !== null && (
                <p class="tone-warn">
                  <code>{each.next_value || 'not set'}</code> from the next start
                </p>
              )}
              {each.source !== 'default' && each.default !== '' && !each.secret && (
                <p class="soft">
                  default <code>{each.default}</code>
                </p>
              )}
            </td>
            <td class="wide" data-title="Source">
              <Source of={each} change={change} />
            </td>
          </tr>
        ))}
      </BookTable>
    </div>
  )
}

/** Where a setting was given, and how it is changed there. */
function Source({ of, change }: { of: Setting; change: (setting: Setting) => void }) {
  const { name, source, flag, variable, place, reloadable, secret } = of
  const isFixed = source === 'flag' || source === 'environment'
  return (
    <>
      {source}
      <p class="soft">
        <code>{source === 'default' ? `${flag}, ${variable}` : place}</code>
        {reloadable && isFixed && ', which the config file does not change'}
      </p>
      <div class="actions">
        {reloadable && !isFixed && (
          <button type="button" class="quiet" onClick={() => change(of)}>
            Change<span class="unseen"> {name}</span>
          </button>
        )}
        {source === 'file' && !secret ? (
          <CopyButton text={toYaml([of])} what={`the line of ${name}`} />
        ) : (
          <CopyButton text={flagOf(of)} what={`the flag of ${name}`} />
        )}
      </div>
    </>
  )
}
