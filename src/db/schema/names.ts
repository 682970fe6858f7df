import { AppError } from '../../base/index.ts'
import type { AnyCollection } from './collection.ts'

/** The public names of collections, which routes and filters use. */
export interface CollectionNames {
  publicName(collection: AnyCollection): string
  /** The collection with the public name `name`. */
  byPublicName(name: string): AnyCollection | undefined
}

/**
 * Uses the configured public names, else the declared ones.
 * @throws AppError `invalid` when a name has the wrong form or two collections would share one.
 */
export function createNames(
  collections: readonly AnyCollection[],
  configured: Partial<Record<string, string>>,
): CollectionNames {
  const given = new Map(Object.entries(configured))
  const byName = new Map<string, AnyCollection>()
  const names = new Map<string, string>()
  for (const collection of collections) {
    const name = given.get(collection.name) ?? collection.publicName
    if (given.has(collection.name) && !/^[a-z][a-z0-9_]{0,62}$/.test(name)) {
      throw new AppError(
        'invalid',
        `"${name}" cannot name the collection ${collection.name}; use a-z, 0-9 and _, a letter first, at most 63`,
      )
    }
    const other = byName.get(name)
    if (other) {
      throw new AppError(
        'invalid',
        `"${name}" names both ${other.name} and ${collection.name}; choose another`,
      )
    }
    byName.set(name, collection)
    names.set(collection.name, name)
  }
  return {
    publicName: (collection) => names.get(collection.name) ?? collection.publicName,
    byPublicName: (name) => byName.get(name),
  }
}
