import type { CheckedCluster } from './checked-cluster.ts'

/**
 * Resets the cluster, which sets the static voltages of all outputs to 0.
 * @returns which outputs had one before.
 */
export async function resetCluster({ links, modules }: CheckedCluster): Promise<string> {
  const held: string[] = []
  for (const [slot, { offsetV, outputs }] of modules) {
    if (offsetV === 0) continue
    const count = outputs.filter((name) => name.startsWith('real_')).length
    for (let output = 0; output < count; output++) {
      const volts = Number(await links.module(slot).query(`AFE:OFFSet:DAC${output}?`))
      if (volts !== 0) held.push(`slot ${slot} output ${output} (${volts} V)`)
    }
  }
  await links.cluster.send('*RST')
  await links.cluster.query('*OPC?')
  return held.length === 0 ? 'no output held a voltage' : `set to 0: ${held.join(', ')}`
}
