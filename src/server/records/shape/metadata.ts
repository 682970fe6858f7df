import type { AnyCollection, Field, Rules } from '../../../db/index.ts'
import { COLLECTIONS } from '../../../db/index.ts'
import { collectionIdOf } from '../../http/response/present-record.ts'
import type { Values } from '../behavior.ts'
import { behaviorOf } from '../behaviors/index.ts'
import type { RecordService } from '../service.ts'

/**
 * Describes a collection for generic clients of the record-store pattern, which derive tables and forms from
 * it.
 */
export function presentCollection({ context, rulesOf }: RecordService, collection: AnyCollection): Values {
  const rules: Rules = rulesOf(collection)
  return {
    id: collectionIdOf(collection),
    name: context.db.names.publicName(collection),
    type: collection.type,
    system: collection.publicName.startsWith('_'),
    listRule: rules.list,
    viewRule: rules.view,
    createRule: rules.create,
    updateRule: rules.update,
    deleteRule: rules.remove,
    fields: fieldsOf(collection),
    indexes: [],
    created: '',
    updated: '',
  }
}

function fieldsOf(collection: AnyCollection): Values[] {
  const password = { ...head(collection, 'password', 'password'), required: true, hidden: true, system: true }
  return [
    { ...head(collection, 'id', 'text'), required: true, system: true, primaryKey: true },
    ...(collection.type === 'auth' ? [password] : []),
    ...Object.entries(collection.fields).flatMap(([name, field]) =>
      field.internal
        ? []
        : [{ ...head(collection, name, field.kind.publicType, field), ...optionsOf(field) }],
    ),
    { ...head(collection, 'created', 'autodate'), system: true, onCreate: true, onUpdate: false },
    { ...head(collection, 'updated', 'autodate'), system: true, onCreate: true, onUpdate: true },
  ]
}

function head(collection: AnyCollection, name: string, type: string, field?: Field): Values {
  const { fixed } = behaviorOf(collection)
  return {
    id: `${type}${Bun.hash.crc32(`${collection.name}.${name}`)}`,
    name,
    type,
    required: field?.required ?? false,
    hidden: field?.hidden ?? false,
    system: false,
    readOnly: field?.readOnly ?? false,
    fixedOnCreate: fixed?.create?.includes(name) ?? false,
    fixedOnUpdate: fixed?.update?.includes(name) ?? false,
    help: field?.help ?? '',
  }
}

function optionsOf(field: Field): Values {
  const { kind, reference } = field
  return { ...(reference && { collectionId: idOf(reference.to) }), ...kind.publicOptions(field) }
}

function idOf(table: string): string {
  const collection = COLLECTIONS.find((each) => each.name === table)
  return collection ? collectionIdOf(collection) : ''
}
