import type { AdapterHost, InvokeContext } from '@callgate/spec'

function nothing(): void {
  // A benchmark listens to nobody.
}

/** A host that checks nothing and says nothing, so that only the adapter counts. */
export const silentHost: AdapterHost = {
  log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  validator: () => () => [],
  secret: (name) => name,
  toolsChanged: nothing,
}

export const silentContext: InvokeContext = {
  signal: new AbortController().signal,
  log: silentHost.log,
  progress: nothing,
  blob: () => {
    throw new Error('no blob is expected')
  },
}
