import { runFaultProbes } from '../../tests/src/fault-probes.ts'

const shownUnits = 300

/** Head and tail of what is too long for a screen. */
function short(text: string): string {
  if (text.length <= shownUnits) return text
  const half = shownUnits / 2
  return `${text.slice(0, half)} … (${text.length} characters) … ${text.slice(-half)}`
}

/** Prints what a model is shown of ten faults that models and tools commonly make. */
export async function run(): Promise<void> {
  console.log('\nTen faults: what the model is shown')
  for (const { fault, results, shown, ran, tookMs } of await runFaultProbes()) {
    console.log(`\n  ${fault}`)
    for (const [index, { callId, status }] of results.entries()) {
      const lines = short(shown[index] ?? '').replaceAll('\n', '\n      ')
      console.log(`    ${callId} ${status}: ${lines}`)
    }
    if (/ for an? /.test(fault)) console.log(`    the tool ran with ${JSON.stringify(ran)}`)
    if (fault.startsWith('abort')) console.log(`    settled after ${tookMs} ms`)
  }
}
