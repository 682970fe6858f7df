import type { BundledPackage } from './collect.ts'
import { RUNTIME, RUNTIME_LIBRARIES } from './runtime.ts'

interface Subject {
  version: string
  /** SHA-256 of the executable, hexadecimal. */
  sha256: string
}

/**
 * The bill of materials of an executable in the form of CycloneDX 1.6. It has neither a time nor a random
 * number, so that the same executable has the same one.
 */
export function renderSbom(svc: Subject, packages: readonly BundledPackage[]): object {
  const ref = `pkg:generic/svc@${svc.version}`
  const components = [...packages.map(packageComponent), runtimeComponent()]
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: {
        type: 'application',
        'bom-ref': ref,
        name: 'svc',
        version: svc.version,
        hashes: [{ alg: 'SHA-256', content: svc.sha256 }],
        licenses: [{ license: { id: 'MIT' } }],
        purl: ref,
      },
    },
    components,
    dependencies: [
      { ref, dependsOn: components.map((component) => component['bom-ref']) },
      ...components.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
    ],
  }
}

function packageComponent({ name, version, license, sha512, part }: BundledPackage) {
  const purl = npmUrl(name, version)
  return {
    type: part === 'font' ? 'data' : 'library',
    'bom-ref': purl,
    name,
    version,
    scope: 'required',
    ...(sha512 !== '' && { hashes: [{ alg: 'SHA-512', content: sha512 }] }),
    licenses: [{ expression: license }],
    purl,
    properties: [{ name: 'svc:part', value: part }],
  }
}

function runtimeComponent() {
  const purl = npmUrl('bun', RUNTIME.version)
  return {
    type: 'platform',
    'bom-ref': purl,
    name: 'bun',
    version: RUNTIME.version,
    scope: 'required',
    licenses: [{ expression: RUNTIME.license }],
    purl,
    externalReferences: [{ type: 'vcs', url: RUNTIME.source }],
    components: RUNTIME_LIBRARIES.map(({ name, license, copyright, source, versionKey }) => ({
      type: 'library',
      'bom-ref': `bun:${name}`,
      name,
      ...(versionKey && { version: process.versions[versionKey] ?? '' }),
      licenses: [{ expression: license }],
      copyright,
      externalReferences: [{ type: 'website', url: source }],
    })),
  }
}

function npmUrl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}
