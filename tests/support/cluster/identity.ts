import { MODULE_KINDS, type ModuleName } from '../../../src/devices/chip/hardware/modules.ts'

/** The reply to `*IDN?` of a cluster, or of one of its modules. */
export function identityText(model: string, scpiVersion: string): string {
  return (
    `Qblox,${model},00015_2321_005,fwVersion=0.9.1 fwBuild=01/02/2025-10:00:00 fwHash=0x5D8B1F02 fwDirty=0 ` +
    'kmodVersion=0.9.1 kmodBuild=01/02/2025-10:00:00 kmodHash=0x21A8C6F1 kmodDirty=0 ' +
    'swVersion=0.9.1 swBuild=01/02/2025-10:00:00 swHash=0x7C10E9B4 swDirty=0 ' +
    `swSCPIVersion=${scpiVersion} cfgManVersion=0.9.1 cfgManBuild=01/02/2025-10:00:00 ` +
    'cfgManHash=0x1D3C5B7A cfgManDirty=0 cfgManSCPIVersion=1.0'
  )
}

/** Names as in a hardware file, in the words of the cluster. */
export function modelOf(name: ModuleName): { model: string; isRf: boolean } {
  return { model: name.replace('_RF', '').toLowerCase(), isRf: MODULE_KINDS[name].isRf }
}

/** The reply to `*DESCribe?`. */
export function descriptionOf(modules: ReadonlyMap<number, ModuleName>, scpiVersion: string): object {
  const version = [0, 9, 1]
  const build = { build: 1_735_725_600, dirty: false, hash: '5D8B1F02', version }
  const builds = { sw: build, cfg_man: build, fw: build, kmod: build }
  const compatible = {
    sw_compat: { scpi_version: scpiVersion.split('.').map(Number) },
    cfg_man_compat: { scpi_version: [1, 0] },
  }
  const described = [...modules].map(([slot, name]) => {
    const { model, isRf } = modelOf(name)
    const names = { manufacturer: 'Qblox', model: `cluster_${model}`, name: `cluster-${model}` }
    const rest = { ser: '00015_2321_006', is_extended_instrument: false, qtm_eom: false, features: {} }
    return [String(slot), { ...names, ...rest, ...builds, ...compatible, is_rf: isRf }]
  })
  return {
    ...{ manufacturer: 'Qblox', model: 'cluster_mm', name: 'cluster-mm', ser: '00015_2321_005' },
    ...{ mac_address: '02:00:00:00:00:01', is_rf: false, ...builds, ...compatible },
    modules: Object.fromEntries(described),
  }
}
