import { ToolError, type InvokeContext } from '@callgate/spec'

type Blob = ReturnType<InvokeContext['blob']>

/**
 * Opens a blob whose faults are told as what they are: the server is not to blame for a store that is full.
 *
 * @throws ToolError `internal` (`blob`), as its functions do.
 */
export function openBlob(
  context: Pick<InvokeContext, 'blob'>,
  options: Parameters<InvokeContext['blob']>[0],
): Blob {
  let blob: Blob
  try {
    blob = context.blob(options)
  } catch (cause) {
    throw notKept(cause)
  }
  return {
    write: (chunk) => orNotKept(blob.write(chunk)),
    close: () => orNotKept(blob.close()),
  }
}

async function orNotKept<Value>(work: Promise<Value>): Promise<Value> {
  try {
    return await work
  } catch (cause) {
    throw notKept(cause)
  }
}

function notKept(cause: unknown): ToolError {
  return new ToolError({
    code: 'internal',
    rule: 'blob',
    started: 'yes',
    message: 'The answer came, but could not be kept in a blob; ask for less of it.',
    cause,
  })
}
