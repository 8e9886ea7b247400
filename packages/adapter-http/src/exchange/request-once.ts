import { request, type Dispatcher } from 'undici'

/** Whether a request was begun on a connection that stood. */
interface Progress {
  begun: boolean
}

const progressKey = Symbol('progress')

type NotedOptions = Dispatcher.DispatchOptions & { readonly [progressKey]?: Progress }
type RequestOptions = Omit<Dispatcher.RequestOptions, 'origin' | 'path'> & {
  readonly dispatcher: Dispatcher
  readonly signal: AbortSignal
}

/** A request that was stopped before it was begun: nothing was sent. */
export class StoppedBeforeSending extends Error {}

/**
 * Notes when a request is begun. A pool is composed with it, because neither a promise nor a signal tells whether a
 * request that was stopped had waited for its connection or for its answer.
 */
export const notesProgress: Dispatcher.DispatcherComposeInterceptor =
  (dispatch) => (options, handler) => {
    const progress = (options as NotedOptions)[progressKey]
    return dispatch(options, progress ? noting(progress, handler) : handler)
  }

function noting(
  progress: Progress,
  handler: Dispatcher.DispatchHandler,
): Dispatcher.DispatchHandler {
  return {
    onRequestStart(...facts) {
      progress.begun = true
      handler.onRequestStart?.(...facts)
    },
    onRequestUpgrade: (...facts) => handler.onRequestUpgrade?.(...facts),
    onResponseStart: (...facts) => handler.onResponseStart?.(...facts),
    onResponseData: (...facts) => handler.onResponseData?.(...facts),
    onResponseEnd: (...facts) => handler.onResponseEnd?.(...facts),
    onResponseError: (...facts) => handler.onResponseError?.(...facts),
  }
}

/**
 * `undici.request` that tells whether it had begun when it was stopped. A request that is stopped while its connection
 * is being opened is taken out of the queue.
 *
 * @throws StoppedBeforeSending, or what `undici.request` throws.
 */
export async function requestOnce(
  url: URL,
  options: RequestOptions,
): Promise<Dispatcher.ResponseData> {
  const progress: Progress = { begun: false }
  const noted: RequestOptions & { readonly [progressKey]: Progress } = {
    ...options,
    [progressKey]: progress,
  }
  try {
    return await request(url, noted)
  } catch (cause) {
    if (options.signal.aborted && !progress.begun) throw new StoppedBeforeSending()
    throw cause
  }
}
