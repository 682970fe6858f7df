import type { Driver } from '../../api/model/equipment/drivers.ts'
import { useApp } from '../../app/app.ts'
import type { PageProps } from '../../app/page.ts'
import { Breadcrumb, Empty, Heading, Loaded, Panel } from '../../parts/Panel.tsx'
import { Status } from '../../parts/Status.tsx'
import { EventLog } from '../events/EventLog.tsx'
import type { DriverSetup } from './commands/commands.ts'
import { issuedTokens, keptArguments } from './issued.ts'
import { LiveCheck } from './LiveCheck.tsx'
import { SetupSteps } from './SetupSteps.tsx'
import { driverState } from './state.ts'
import { useDriverActions } from './use-driver-actions.ts'
import { type DriversState, useDrivers } from './use-drivers.ts'
import { useLeaveGuard } from './use-leave-guard.ts'

const NO_ARGUMENTS = { options: [], secrets: [], variables: [] }

/** One driver: its connection, its token while it is known, the commands that start it, and its events. */
export function DriverPage({ params }: PageProps) {
  const state = useDrivers()
  return (
    <>
      <Breadcrumb href="/drivers" list="Drivers" />
      <Loaded of={state.drivers} task="load the driver" rows={8} title="Driver">
        {(list) => {
          const driver = list.find(({ id, name }) => [id, name].includes(params['id'] ?? ''))
          if (driver) return <DriverView driver={driver} list={list} state={state} />
          return (
            <>
              <Heading title="No such driver" />
              <Panel title="Driver">
                <Empty
                  action={
                    <a class="button" href="/drivers">
                      All drivers
                    </a>
                  }
                >
                  It was deleted, or the address is wrong.
                </Empty>
              </Panel>
            </>
          )
        }}
      </Loaded>
    </>
  )
}

interface DriverViewProps {
  driver: Driver
  list: readonly Driver[]
  state: DriversState
}

function DriverView({ driver, list, state }: DriverViewProps) {
  const { qpus, router } = useApp()
  const token = issuedTokens().value.get(driver.id)
  const guard = useLeaveGuard(token !== undefined)
  const actions = useDriverActions(() => void state.drivers.load())
  const server = state.activity.value.value
  const activity = server?.drivers.find(({ id }) => id === driver.id)
  const qpu = qpus.value.value?.find(({ id }) => id === driver.qpu)?.name
  const setup: DriverSetup | undefined = server && {
    ...(keptArguments(driver.id) ?? NO_ARGUMENTS),
    name: driver.name,
    operation: driver.operation,
    device: driver.device ?? '',
    svcAddr: server.svc_addr,
    caFingerprint: server.ca_fingerprint,
    version: server.driver_version,
    token,
  }
  const remove = async () => {
    if (await actions.remove(driver)) router.go('/drivers')
  }
  const lead = (
    <>
      {driver.operation.charAt(0).toUpperCase() + driver.operation.slice(1)} driver
      {qpu && (
        <>
          {' of '}
          {qpu}, <a href={`/jobs?qpu=${encodeURIComponent(qpu)}`}>its jobs</a>
        </>
      )}
      {driver.device && `, device ${driver.device}`}.
    </>
  )
  const isNew = token !== undefined && driver.last_seen === ''
  return (
    <>
      <Heading title={isNew ? `${driver.name} is registered` : driver.name} lead={lead}>
        {!isNew && <Status {...driverState(driver, activity, state.now.value)} />}
        {isNew ? (
          <a class="button" href="/drivers">
            Done
          </a>
        ) : (
          <>
            <button type="button" onClick={() => void actions.toggle(driver)}>
              {driver.enabled ? 'Disable…' : 'Enable'}
            </button>
            <button type="button" onClick={() => void actions.renewToken(driver)}>
              New token…
            </button>
            <button type="button" onClick={() => void remove()}>
              Delete…
            </button>
          </>
        )}
      </Heading>
      <div class="stack">
        <Panel title="Connection">
          <LiveCheck
            driver={driver}
            activity={activity}
            list={list}
            now={state.now.value}
            onDisable={(holder) => void actions.toggle(holder)}
          />
        </Panel>
        <Loaded of={state.activity} task="load the addresses of the server" rows={8}>
          {() =>
            setup && (
              <SetupSteps setup={setup} isOpen={isNew || driver.last_seen === ''} onSaved={guard.release} />
            )
          }
        </Loaded>
        <EventLog driver={driver.id} />
      </div>
    </>
  )
}
