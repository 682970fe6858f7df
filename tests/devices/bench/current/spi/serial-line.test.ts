import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { systemClock } from '../../../../../src/base/index.ts'
import { ramp } from '../../../../../src/devices/bench/current/ramp.ts'
import { rackAt } from '../../../../../src/devices/bench/current/spi/controller.ts'
import { openS4gOutput } from '../../../../../src/devices/bench/current/spi/s4g-output.ts'
import { SerialPort } from '../../../../support/serial-port.ts'
import { SpiRack } from '../../../../support/spi-rack.ts'

const PLACE = { source: 'spi', module: 1, output: 3 } as const

test('a rack at a serial port: bytes pass unchanged both ways, and silence is an error', async () => {
  await using rack = await SpiRack.start()
  rack.preset(PLACE.module, PLACE.output, { span: 4, amps: 0.2e-3 })
  using port = new SerialPort(rack)
  const controller = rackAt(port.path, systemClock)
  const output = await openS4gOutput(controller, PLACE)
  // Codes with the bytes of line feeds, interrupts and ends of file among them.
  const held = await ramp(output, 0.21e-3, { rate: 1e-3, clock: systemClock })
  expect(held).toBeCloseTo(0.21e-3, 6)
  expect(rack.current(PLACE.module, PLACE.output)).toBeCloseTo(held, 12)
  rack.onTransfer = () => 'ignore'
  expect(output.read()).rejects.toThrow('no reply within 1 s')
  await controller.close()
})

test('the port does not become the terminal of a driver that runs as a service', async () => {
  await using rack = await SpiRack.start()
  using port = new SerialPort(rack)
  const source = join(import.meta.dir, '../../../../../src')
  // The fifth value after the name of the process is its terminal, 0 for none.
  const script = `
    import { readFileSync } from 'node:fs'
    import { systemClock } from '${source}/base/index.ts'
    import { openSerialLine } from '${source}/devices/bench/current/spi/serial-line.ts'
    const line = await openSerialLine('${port.path}', systemClock)
    console.log(readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ')[4])
    await line.close()`
  const service = Bun.spawn([process.execPath, '-e', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  expect((await new Response(service.stdout).text()).trim()).toBe('0')
})
