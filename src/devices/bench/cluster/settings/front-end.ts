import { InstrumentError } from '../../instrument.ts'
import type { ClusterLinks } from '../dialect/links.ts'
import type { ClusterPort } from '../plan/cluster-ports.ts'
import type { ClusterSettings } from './cluster-settings.ts'
import type { Mixers } from './mixers.ts'

/** Where settings of a port are sent. */
interface FrontEnd {
  port: ClusterPort
  links: ClusterLinks
  settings: ClusterSettings
  mixers: Mixers
}

/**
 * Sets what is behind the sequencer of a port: the local oscillator and its leakage, attenuators, amplifiers,
 * static offsets and corrections of distortion. What the hardware file leaves out stays as it is.
 */
export async function setFrontEnd(frontEnd: FrontEnd): Promise<void> {
  const { channel } = frontEnd.port
  if (channel.module === 'QRC') await setDirectFrontEnd(frontEnd)
  else if (channel.kind.isRf) await setRfFrontEnd(frontEnd)
  else await setBasebandFrontEnd(frontEnd)
  await setDistortion(frontEnd)
}

/** A module with mixers: `LO1 6600000000`, whole hertz and decibels. */
async function setRfFrontEnd(frontEnd: FrontEnd): Promise<void> {
  const { port, mixers } = frontEnd
  const { channel, output, input, loHz, settings: wanted } = port
  const oscillator = channel.kind.oscillators[output] ?? 'LO0'
  const frequency = `STATus:QUEStionable:FREQuency:${oscillator}`
  if (loHz !== undefined) await sendOnce(frontEnd, frequency, String(Math.round(loHz)))
  await sendOnce(frontEnd, `${oscillator}:ENAble`, '1')
  await setOutputAttenuation(frontEnd)
  if (input) await sendOnce(frontEnd, 'AFE:ATT:IN0', wanted.inputAttenuation)
  if (wanted.mixer.calibratesOscillator === 'off') {
    await sendOnce(frontEnd, `AFE:OFFSet:OUTAMP${2 * output}`, wanted.mixer.offsetI)
    await sendOnce(frontEnd, `AFE:OFFSet:OUTAMP${2 * output + 1}`, wanted.mixer.offsetQ)
  } else {
    // The module finds these offsets itself.
    await mixers.calibrateOscillator(port)
  }
}

/** Sets the attenuator of an output, of which there are kinds that attenuate less than others. */
async function setOutputAttenuation({ port, links, settings }: FrontEnd): Promise<void> {
  const { channel, output, name, settings: wanted } = port
  const { outputAttenuation: decibels } = wanted
  if (decibels === undefined) return
  const link = links.module(channel.slot)
  const setting = `AFE:ATT:OUT${output}`
  await settings.set(channel.slot, setting, String(decibels), async () => {
    const most = Number(await link.query(`${setting}:MAX?`))
    if (decibels > most) {
      const place = `the module in slot ${channel.slot}`
      throw new InstrumentError(`${name}: output_att is ${decibels} dB, and ${place} has at most ${most} dB`)
    }
    await link.send(`${setting} ${decibels}`)
  })
}

/** A module that is set by queries of the cluster: `SLOT4:AFE:OUT:ATT:SET? 0,20`. */
async function setDirectFrontEnd({ port, links, settings }: FrontEnd): Promise<void> {
  const { channel, output, input, loHz, settings: wanted } = port
  const { slot } = channel
  const inputNumber = Number(input?.channel.at(-1) ?? 0)
  const given = [
    ['AFE:OUT:FREQ:SET?', output, loHz === undefined ? undefined : Math.round(loHz)],
    ['AFE:OUT:ATT:SET?', output, wanted.outputAttenuation],
    ['AFE:IN:FREQ:SET?', inputNumber, input && loHz !== undefined ? Math.round(loHz) : undefined],
    ['AFE:IN:ATT:SET?', inputNumber, input ? wanted.inputAttenuation : undefined],
  ] as const
  for (const [command, number, value] of given) {
    if (value === undefined) continue
    const text = `${command} ${number},${value}`
    await settings.set(slot, `${command} ${number}`, text, () => links.prefixed(slot).queryBlock(text))
  }
}

async function setBasebandFrontEnd(frontEnd: FrontEnd): Promise<void> {
  const { channel, output, input, settings: wanted } = frontEnd.port
  const isComplex = channel.channel.startsWith('complex_')
  const first = isComplex ? 2 * output : output
  await sendOnce(frontEnd, `AFE:OFFSet:DAC${first}`, wanted.mixer.offsetI)
  if (isComplex) await sendOnce(frontEnd, `AFE:OFFSet:DAC${first + 1}`, wanted.mixer.offsetQ)
  if (!input) return
  await sendOnce(frontEnd, 'AFE:GAIN:INAMP0', wanted.inputGain?.[0])
  await sendOnce(frontEnd, 'AFE:GAIN:INAMP1', wanted.inputGain?.[1])
}

/** Exponentials and taps of the outputs of a port, merged by the module into what it has. */
async function setDistortion({ port, links, settings }: FrontEnd): Promise<void> {
  const { channel, output, settings: wanted } = port
  if (!wanted.distortion) return
  const { exponentials, taps } = wanted.distortion
  const stages = exponentials.flatMap((each, stage) =>
    each ? [[`stage${stage}`, { tau: each[0], amp: each[1] }]] : [],
  )
  const corrections = {
    ...(stages.length > 0 && { IIR: Object.fromEntries(stages) }),
    ...(taps && { FIR: { stage0: taps } }),
  }
  const outputs = channel.channel.startsWith('complex_') ? [2 * output, 2 * output + 1] : [output]
  const text = JSON.stringify(Object.fromEntries(outputs.map((each) => [`out${each}`, corrections])))
  const link = links.module(channel.slot)
  await settings.set(channel.slot, `PREDISTortion ${outputs}`, text, () =>
    link.send('PREDISTortion:CONFiguration', new TextEncoder().encode(text)),
  )
}

/** Sends `<name> <value>` to the module of the port, unless it has the value already. */
async function sendOnce(
  { port, links, settings }: FrontEnd,
  name: string,
  value: string | number | undefined,
): Promise<void> {
  if (value === undefined) return
  const { slot } = port.channel
  await settings.set(slot, name, String(value), () => links.module(slot).send(`${name} ${value}`))
}
