import { adapterSuite } from '@callgate/testkit'

import { wordsAdapter } from './words-adapter.ts'

// Hand over the `test` or `it` of any runner. This one keeps the tests and runs them below.
const tests: { name: string; run: () => Promise<void> }[] = []
const test = (name: string, run: () => Promise<void>): void => void tests.push({ name, run })

adapterSuite(test, async () => wordsAdapter({ secondsPerWord: 10 }), {
  fixtures: {
    ok: { tool: 'count', arguments: { text: 'to be or not' }, expect: { words: 4 } },
    fails: { tool: 'count', arguments: { text: '' }, expect: { message: /no words/ } },
    slow: { tool: 'read', arguments: { text: 'to be' } },
  },
})

for (const { name, run } of tests) {
  await run()
  console.log(`ok ${name}`)
}
