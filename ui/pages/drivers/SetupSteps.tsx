import { useState } from 'preact/hooks'
import { saveFile } from '../../lib/save-file.ts'
import { CodeBlock } from '../../parts/CodeBlock.tsx'
import { CopyButton } from '../../parts/CopyButton.tsx'
import { Panel } from '../../parts/Panel.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import {
  containerCommand,
  type DriverSetup,
  enableCommands,
  environmentFile,
  groupFingerprint,
  isReadFromTerminal,
  prepareCommands,
  startCommand,
  storeCommands,
  storeForContainer,
  tokenFile,
  unitFile,
} from './commands/commands.ts'

interface SetupStepsProps {
  setup: DriverSetup
  /** Whether the steps are shown immediately. */
  isOpen: boolean
  /** Called when the token was copied or saved. */
  onSaved: () => void
}

/** How to start the driver: its token, one start by hand, then a service. */
export function SetupSteps({ setup, isOpen, onSaved }: SetupStepsProps) {
  const { name, token, secrets } = setup
  const [way, setWay] = useState<'systemd' | 'container'>('systemd')
  return (
    <Panel title="Setup">
      <details class="padded set-up" open={isOpen}>
        <summary>Commands and files with the addresses of this server</summary>
        <ol class="steps">
          {token !== undefined && (
            <li>
              <h3>Save the token</h3>
              <div class="token">
                <code>{token}</code>
                <CopyButton text={token} what="token" onCopy={onSaved} />
                <button
                  type="button"
                  onClick={() => {
                    saveFile(new Blob([`${token}\n`], { type: 'text/plain' }), `${name}.token`)
                    onSaved()
                  }}
                >
                  Save as file
                </button>
              </div>
              <p class="hint">
                <strong class="tone-warn">▲ Shown once.</strong> Only a hash is stored. If it is lost, create
                a new token; the old one then stops working.
              </p>
            </li>
          )}
          <li>
            <h3>Try it once by hand</h3>
            <p class="hint">
              On the machine next to the equipment. {storeHint(setup)} Options can be changed in the command.
            </p>
            {isReadFromTerminal(setup) ? (
              <>
                <CodeBlock
                  title={secrets.length > 0 ? 'Store the token and secrets' : 'Store the token'}
                  text={storeCommands(setup)}
                  onCopy={onSaved}
                />
                <CodeBlock title="Start command" text={startCommand(setup)} />
              </>
            ) : (
              <CodeBlock
                title="Store the token and start"
                text={`${storeCommands(setup)}\n${startCommand(setup)}`}
                onCopy={onSaved}
              />
            )}
          </li>
          <li>
            <h3>Then let it run</h3>
            <Tabs label="Way to run the driver" tabs={WAYS} selected={way} onSelect={setWay}>
              {way === 'systemd' ? (
                <SystemdSteps setup={setup} onSaved={onSaved} />
              ) : (
                <ContainerSteps setup={setup} onSaved={onSaved} />
              )}
            </Tabs>
          </li>
        </ol>
      </details>
    </Panel>
  )
}

const WAYS = [
  { id: 'systemd', title: 'Service of systemd' },
  { id: 'container', title: 'Container' },
] as const

type WayProps = Pick<SetupStepsProps, 'setup' | 'onSaved'>

function SystemdSteps({ setup, onSaved }: WayProps) {
  const { name, token } = setup
  return (
    <div class="way">
      <p class="hint">
        As root, in the folder of the executable.{' '}
        <a href="/docs/how-to/run-a-driver#install-it-as-a-service">How driver services work</a>
      </p>
      <CodeBlock title="Prepare" text={prepareCommands(setup)} />
      <div class="files">
        <CodeBlock title={`/etc/systemd/system/${name}.service`} text={unitFile(setup)} />
        <div class="stack close">
          <CodeBlock
            title={`/etc/svc-driver/${name}.token (mode 0600)`}
            text={tokenFile(setup)}
            onCopy={onSaved}
          />
          <CodeBlock title={`/etc/svc-driver/${name}.env (mode 0600)`} text={environmentFile(setup)} />
          <CodeBlock title="Start it" text={enableCommands(setup)} />
          <CodeBlock title="CA fingerprint" text={groupFingerprint(setup.caFingerprint)} />
        </div>
      </div>
      {token === undefined && (
        <p class="hint">Write the token in place of TOKEN; the server stores only its hash.</p>
      )}
    </div>
  )
}

function ContainerSteps({ setup, onSaved }: WayProps) {
  return (
    <div class="way">
      <p class="hint">
        As root. Files that options name are in /etc/svc-driver/{setup.name}, which the container sees as
        /etc/svc-driver. <a href="/docs/how-to/run-a-driver#run-it-in-a-container">Drivers in containers</a>
      </p>
      <CodeBlock title="Store the token" text={storeForContainer(setup)} onCopy={onSaved} />
      <CodeBlock title="Start the container" text={containerCommand(setup)} />
    </div>
  )
}

function storeHint({ token, secrets }: DriverSetup): string {
  const read = [...(token === undefined ? ['the token'] : []), ...secrets]
  if (read.length === 0) {
    return 'The token is kept in a file: command lines are visible to every user of the machine. The spaces at the start of the lines keep it out of the shell history.'
  }
  return `Paste ${read.join(', then ')} when cat waits, and end it with Ctrl+D twice. Files keep them out of the process list.`
}
