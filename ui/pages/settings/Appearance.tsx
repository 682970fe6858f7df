import { useMemo } from 'preact/hooks'
import { useApp } from '../../app/app.ts'
import { CHOICES, type Preferences, storePreferences } from '../../app/preferences.ts'
import { setTheme, THEMES } from '../../app/theme.ts'
import { enableKeys, keysEnabled } from '../../lib/keys.ts'
import { describeZone, formatDate } from '../../lib/time.ts'
import { Field, Select } from '../../parts/form/form.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { SettingsFrame } from './SettingsFrame.tsx'

const WORDS = {
  system: 'System',
  light: 'Light',
  dark: 'Dark',
  comfortable: 'Comfortable',
  compact: 'Compact: more rows on the screen',
  reduced: 'Reduced',
}

/** How this browser shows the pages. */
export function Appearance() {
  const { preferences, theme, zone } = useApp()
  const chosen = preferences.value
  const change = (changes: Partial<Preferences>) => {
    preferences.value = { ...preferences.peek(), ...changes }
    storePreferences(preferences.peek())
  }
  const dates = Object.fromEntries(
    CHOICES.dates.map((style) => [style, formatDate(Date.now(), { timeZone: zone.value, dates: style })]),
  )
  return (
    <SettingsFrame lead={<>Times are shown in {describeZone(Date.now(), zone.value)}.</>}>
      <Panel title="Appearance" aside={<span class="soft">Stored in this browser</span>}>
        <div class="form padded">
          <Choices
            legend="Theme"
            name="theme"
            choices={THEMES}
            words={WORDS}
            value={theme.value}
            set={(next) => {
              theme.value = next
              setTheme(next)
            }}
          />
          <Choices
            legend="Density"
            name="density"
            choices={CHOICES.density}
            words={WORDS}
            value={chosen.density}
            set={(density) => change({ density })}
          />
          <Choices
            legend="Motion"
            name="motion"
            choices={CHOICES.motion}
            words={WORDS}
            value={chosen.motion}
            set={(motion) => change({ motion })}
          />
        </div>
      </Panel>
      <Panel title="Times">
        <div class="form padded">
          <ZoneField value={chosen.zone} set={(next) => change({ zone: next })} />
          <Choices
            legend="Dates"
            name="dates"
            choices={CHOICES.dates}
            words={dates}
            value={chosen.dates}
            set={(next) => change({ dates: next })}
          />
        </div>
      </Panel>
      <Panel title="Keyboard shortcuts">
        <div class="form padded">
          <label class="check">
            <input
              type="checkbox"
              defaultChecked={keysEnabled()}
              onChange={({ currentTarget }) => enableKeys(currentTarget.checked)}
            />
            Single-key shortcuts outside of text fields
          </label>
          <p class="soft">
            Turn them off if you use speech input. <kbd>?</kbd> lists them, <kbd>Ctrl</kbd> <kbd>K</kbd>{' '}
            always works.
          </p>
        </div>
      </Panel>
    </SettingsFrame>
  )
}

interface ChoicesProps<Choice extends string> {
  legend: string
  name: string
  choices: readonly Choice[]
  words: Readonly<Record<string, string>>
  value: Choice
  set: (choice: Choice) => void
}

function Choices<Choice extends string>(props: ChoicesProps<Choice>) {
  const { legend, name, choices, words, value, set } = props
  return (
    <fieldset class="choice">
      <legend>{legend}</legend>
      {choices.map((choice) => (
        <label key={choice}>
          <input type="radio" name={name} checked={value === choice} onChange={() => set(choice)} />
          {words[choice] ?? choice}
        </label>
      ))}
    </fieldset>
  )
}

function ZoneField({ value, set }: { value: string; set: (zone: string) => void }) {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  const zones = useMemo(() => ['UTC', ...Intl.supportedValuesOf('timeZone')], [])
  return (
    <Field id="zone" label="Time zone" hint="The server stores and computes in UTC.">
      <Select
        id="zone"
        value={value}
        choices={[
          ['', `As the browser: ${own}`],
          ...zones.map((zone) => [zone, zone.replaceAll('_', ' ')] as const),
        ]}
        set={set}
      />
    </Field>
  )
}
