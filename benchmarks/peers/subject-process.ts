// Hosts the subjects of one module in a process of their own: what one library does to the heap, to the compiler's
// profile or to globals falls on no other.
import { timeChunk } from '../src/measure.ts'
import type { PeerSubject } from './subjects/subject.ts'

/** Asks for one chunk of the subject with this number. */
export interface Ask {
  readonly index: number
}

const [module = ''] = process.argv.slice(2)
const { subjects } = (await import(`./subjects/${module}.ts`)) as {
  subjects: () => readonly PeerSubject[] | Promise<readonly PeerSubject[]>
}
const hosted = await subjects()

process.on('message', ({ index }: Ask) => {
  const subject = hosted[index]!
  timeChunk(subject, subject.chunk).then(
    (chunk) => process.send?.(chunk),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit())
process.send?.(hosted.map(({ name, table, chunk }) => ({ name, table, chunk })))
