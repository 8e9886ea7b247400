import type { CallgateError } from '@callgate/spec'

import { dropBody, send, type RawAnswer, type Wire } from '../exchange/send.ts'
import { acceptedEncodings, decodeBody } from '../response/decode.ts'
import { fileFault, maxDocumentBytes, parseText } from './read.ts'
import { checkVersion } from './version.ts'

/** Milliseconds that fetching a document may take in all. */
const fetchMs = 30_000

/** Whether a document is named by its address, not by its file. */
export function isAddress(document: string): boolean {
  return /^https?:\/\//i.test(document)
}

/**
 * Fetches a document (R8.3), through the guard that calls go through and without credentials. What it refers to is not
 * fetched.
 *
 * @throws CallgateError (`openapi-file`, `openapi-syntax`, `openapi-version`) that says what is wrong.
 */
export async function fetchDocument(address: string, wire: Wire): Promise<unknown> {
  const signal = AbortSignal.any([wire.signal, AbortSignal.timeout(fetchMs)])
  let text: string
  try {
    const answer = await send(hopTo(address), { ...wire, signal })
    text = await textOf(answer, address, signal)
  } catch (cause) {
    wire.signal.throwIfAborted()
    throw asFault(cause, address, signal)
  }
  const root = parseText(text, address)
  checkVersion(root, address, text)
  return root
}

function hopTo(url: string): Parameters<typeof send>[0] {
  const headers = {
    accept: 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.8',
    'accept-encoding': acceptedEncodings,
    'user-agent': 'callgate',
  }
  return { method: 'GET', url, headers, body: undefined }
}

async function textOf(answer: RawAnswer, address: string, signal: AbortSignal): Promise<string> {
  if (answer.status !== 200) {
    await dropBody(answer, signal)
    throw fileFault(address, `the answer is ${answer.status}`)
  }
  const { stream, undecoded } = decodeBody(answer.body, answer.headers['content-encoding'])
  if (undecoded.length > 0) throw fileFault(address, `it comes as ${undecoded.join(', ')}`)
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Uint8Array>) {
    size += chunk.length
    if (size > maxDocumentBytes) {
      throw fileFault(address, `it is longer than ${maxDocumentBytes} bytes`)
    }
    chunks.push(chunk)
  }
  return new TextDecoder().decode(Buffer.concat(chunks))
}

function asFault(cause: unknown, address: string, signal: AbortSignal): CallgateError | Error {
  const { message, rule } = cause as Error & { readonly rule?: string }
  if (rule === 'openapi-file') return cause as Error
  const late = signal.aborted ? `it took longer than ${fetchMs / 1000} s` : message
  return fileFault(address, late.replace(/\.$/, ''), cause)
}
