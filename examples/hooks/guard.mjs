// A guard in any language: JSON on stdin, JSON on stdout, the nonce repeated.
import { readFileSync } from 'node:fs'

const call = JSON.parse(readFileSync(0, 'utf8'))
const outside = !String(call.arguments.path).startsWith('/workspace/')
const decision = outside ? { action: 'block', message: 'Only /workspace may be written.' } : null
console.log(JSON.stringify({ nonce: call.nonce, decision }))
