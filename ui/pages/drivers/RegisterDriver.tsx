import { type Device, type Operation, registration } from '../../api/model/equipment/drivers.ts'
import { useApp } from '../../app/app.ts'
import { useQuery } from '../../app/use-query.ts'
import { Field, FormActions, Select, TextField, useForm } from '../../parts/form/form.tsx'
import { Breadcrumb, Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { driverName } from './commands/commands.ts'
import {
  argumentsOf,
  formOptions,
  groupOptions,
  type OptionValues,
  parseLines,
  problemOf,
} from './commands/options.ts'
import { keepArguments, keepToken } from './issued.ts'
import { OptionField } from './OptionField.tsx'
import { useDevices } from './use-drivers.ts'

const OPERATIONS: readonly [Operation, string][] = [
  ['process', 'Process: runs jobs'],
  ['calibrate', 'Calibrate: tunes the QPU'],
  ['monitor', 'Monitor: reports readings'],
]
/** The choice of a device that this version does not contain. */
const IMPORTED = 'import'

/** Registers a driver; its page then shows the token and the commands that start it. */
export function RegisterDriverPage() {
  const { qpus } = useApp()
  const devices = useDevices()
  return (
    <>
      <Breadcrumb href="/drivers" list="Drivers" />
      <Heading title="Register a driver" />
      <Loaded of={qpus} task="load the QPUs" rows={2}>
        {(list) =>
          list.length === 0 ? (
            <Panel title="Driver">
              <Empty
                action={
                  <a class="button" href="/qpus">
                    Add a QPU
                  </a>
                }
              >
                A driver belongs to a QPU, and there is none yet.
              </Empty>
            </Panel>
          ) : (
            <Loaded of={devices} task="load the devices" rows={6}>
              {(known) => <RegisterForm qpus={list.map(({ name }) => name)} devices={known} />}
            </Loaded>
          )
        }
      </Loaded>
    </>
  )
}

function RegisterForm({ qpus, devices }: { qpus: readonly string[]; devices: readonly Device[] }) {
  const { api, router } = useApp()
  const query = useQuery()
  const operation = OPERATIONS.find(([name]) => name === query.get('operation'))?.[0] ?? 'process'
  const built = devices.filter((device) => device.operation === operation)
  const chosen =
    query.get('device') === IMPORTED || built.length === 0 ? undefined : deviceOf(built, query.get('device'))
  const options = chosen ? formOptions(chosen.options) : []
  const initialQpu = qpus.find((name) => name === query.get('qpu')) ?? qpus[0] ?? ''
  const form = useForm({
    initial: {
      qpu: initialQpu,
      name: suggestedName(initialQpu, operation),
      device: '',
      lines: '',
      values: {} as OptionValues,
    },
    check: ({ name, device, lines, values }) => ({
      ...(driverName(name) === '' && { name: 'Enter a name for the driver.' }),
      ...(!chosen && device.trim() === '' && { device: 'Enter a module, such as ./fridge.ts#fridge.' }),
      ...(!chosen && parseLines(lines).problem && { lines: parseLines(lines).problem }),
      ...(options.some((option) => problemOf(option, values[option.key] ?? '')) && {
        values: 'Some options need a correction.',
      }),
    }),
    async submit({ qpu, name, device, lines, values }) {
      const body = { qpu, name, operation, device: chosen?.name ?? device.trim() }
      const { id, token } = await api.post('/api/op/drivers/create', body, registration)
      keepToken(id, token)
      keepArguments(
        id,
        chosen
          ? argumentsOf(options, values)
          : { options: parseLines(lines).options, secrets: [], variables: [] },
      )
      router.go(`/drivers/${id}`)
    },
  })
  const { qpu, name, values, lines } = form.values.value
  const stored = driverName(name)
  /** Changes a name that was only suggested. */
  const rename = (nextQpu: string, nextOperation: string) => {
    if (name === suggestedName(qpu, operation)) form.set({ name: suggestedName(nextQpu, nextOperation) })
  }
  const problems = form.error('values')
    ? options.filter((option) => problemOf(option, values[option.key] ?? ''))
    : []
  return (
    <form class="panel form" onSubmit={form.submit} noValidate>
      <div class="cells">
        <Field id={form.id('qpu')} label="QPU" error={form.error('qpu')}>
          <Select
            id={form.id('qpu')}
            value={qpu}
            choices={qpus}
            set={(one) => {
              rename(one, operation)
              form.set({ qpu: one })
            }}
          />
        </Field>
        <Field id={`${form.id('name')}-operation`} label="Operation">
          <Select
            id={`${form.id('name')}-operation`}
            value={operation}
            choices={OPERATIONS}
            set={(one) => {
              rename(qpu, one)
              query.set({ operation: one, device: null })
            }}
          />
        </Field>
        <Field id={`${form.id('device')}-choice`} label="Device">
          <Select
            id={`${form.id('device')}-choice`}
            value={chosen?.name ?? IMPORTED}
            choices={[...built.map(({ name }) => name), [IMPORTED, 'Custom module…']]}
            set={(device) => query.set({ device })}
          />
        </Field>
        <TextField
          form={form}
          name="name"
          label="Name"
          hint={
            stored !== name.trim() ? (
              <>
                becomes <code>{stored}</code>
              </>
            ) : undefined
          }
        />
      </div>
      {!chosen && (
        <>
          <TextField
            form={form}
            name="device"
            label="Module and export"
            placeholder="./fridge.ts#fridge"
            hint="Path on the machine that runs the driver."
          />
          <Field
            id={form.id('lines')}
            label="Options"
            error={form.error('lines')}
            hint={
              <>
                One <code>key=value</code> per line
              </>
            }
          >
            <textarea
              id={form.id('lines')}
              rows={3}
              value={lines}
              onInput={({ currentTarget }) => form.set({ lines: currentTarget.value })}
            />
          </Field>
        </>
      )}
      {chosen && (
        <fieldset class="device-options">
          <legend>
            Options of <strong>{chosen.name}</strong>. They become part of the commands in the next step and
            are not stored on the server; the driver checks them again when it starts.
          </legend>
          {groupOptions(options).map(([title, members]) => (
            <fieldset key={title} class="option-grid" aria-label={title || 'Others'}>
              {title && <h3>{title}</h3>}
              {members.map((option) => (
                <OptionField
                  key={option.key}
                  id={form.id('values') + option.key}
                  option={option}
                  value={values[option.key] ?? ''}
                  problem={form.error('values') ? problemOf(option, values[option.key] ?? '') : undefined}
                  onInput={(value) => form.set({ values: { ...values, [option.key]: value } })}
                />
              ))}
            </fieldset>
          ))}
        </fieldset>
      )}
      <FormActions form={form} action="Register">
        <a class="button" href="/drivers">
          Cancel
        </a>
        {problems.length > 0 && (
          <span class="soft" role="alert">
            To correct:{' '}
            {problems.map(({ key, label }) => (
              <a key={key} href={`#${form.id('values')}${key}`}>
                {label}
              </a>
            ))}
          </span>
        )}
      </FormActions>
    </form>
  )
}

/** A name that says what the driver does; its QPU is already the name of the first process driver. */
function suggestedName(qpu: string, operation: string): string {
  return `${qpu}_${{ process: 'spare', calibrate: 'tuner' }[operation] ?? 'monitor'}`
}

function deviceOf(built: readonly Device[], name: string): Device | undefined {
  return built.find((device) => device.name === name) ?? built[0]
}
