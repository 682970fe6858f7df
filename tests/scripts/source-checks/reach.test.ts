import { expect, test } from 'bun:test'
import { checkReach } from '../../../scripts/source-checks/reach.ts'
import { scanSource } from '../../../scripts/source-text.ts'

function breachesOf(texts: Record<string, string>): string[] {
  const sources = Object.entries(texts).map(([file, source]) => ({ file, source, ...scanSource(source) }))
  return checkReach({ texts: new Map(Object.entries(texts)), sources }).map(({ file }) => file)
}

test('checkReach() reports files that only tests import, and what only those import', () => {
  expect(
    breachesOf({
      'scripts/build.ts': "build('src/cli/main.ts')",
      'src/cli/main.ts': "import './used.ts'\nstart('src/base/worker.ts')",
      'src/cli/used.ts': "import type { A } from '../base/types.ts'",
      'src/base/worker.ts': '',
      'src/base/types.ts': '',
      'src/base/emulate.ts': "import './of-emulate.ts'",
      'src/base/of-emulate.ts': '',
      'tests/a.test.ts': "import '../src/base/emulate.ts'",
      'src/kernel/assembly/a.ts': '',
    }),
  ).toEqual(['src/base/emulate.ts', 'src/base/of-emulate.ts'])
})

test('checkReach() begins at the scripts of the pages, but not at what a script takes from tests', () => {
  expect(
    breachesOf({
      'ui/index.html': '<script src="./main.tsx"></script>',
      'ui/main.tsx': '',
      'scripts/try.ts': "import '../tests/support/a.ts'",
      'tests/support/a.ts': "import '../../ui/alone.ts'",
      'ui/alone.ts': '',
    }),
  ).toEqual(['ui/alone.ts'])
})
