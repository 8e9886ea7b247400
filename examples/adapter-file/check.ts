import { testPathEscape } from '@callgate/adapter-file'

const options = { roots: { app: { path: import.meta.dirname, deny: ['*.pem'] } } }

for (const target of ['check.ts', '../../package.json', '/proc/self/environ', 'key.pem', 'NUL']) {
  const [verdict] = testPathEscape(options, target).roots
  console.log(target, verdict?.outcome, verdict?.rule ?? '-')
}
