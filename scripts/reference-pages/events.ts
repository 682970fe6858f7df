import { COMMANDS } from '../../src/protocol/commands.ts'
import { EVENTS } from '../../src/protocol/index.ts'
import { fieldsOf, variantsOf } from './shapes.ts'
import { row } from './table.ts'

/** The page of the messages between driver and server. */
export function eventsPage(): string {
  const events = EVENTS.map((event) =>
    row(
      `\`${event.type}\``,
      [event.log && 'logged', event.limited && 'rate limited', event.acknowledged && 'acknowledged']
        .filter(Boolean)
        .join(', '),
      variantsOf(event.payload),
    ),
  )
  const commands = COMMANDS.map((command) => row(`\`${command.entries.type.literal}\``, fieldsOf(command)))
  return `# Events and commands

Each message on the sockets is one frame of UTF-8 JSON. A driver sends events \`{type, id, ts, payload}\`: \`id\` is unique per
driver, \`ts\` is the driver's UTC time. *Acknowledged* events are stored on the driver's disk and sent again until the server has
stored them. *Rate limited* events count against \`--event-rate-limit\`; those above the limit are dropped. A field without a type is a
text; a \`*\` marks required ones.

## Events, driver to server

| Type | Handling | Payload |
|---|---|---|
${events.join('\n')}

## Commands, server to driver

| Type | Fields |
|---|---|
${commands.join('\n')}
`
}
