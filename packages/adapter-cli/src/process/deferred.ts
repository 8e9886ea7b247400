/** A promise with its resolver; Promise.withResolvers is not in the library that the packages are typed by. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value) => void
}

export function deferred<Value>(): Deferred<Value> {
  let resolve!: Deferred<Value>['resolve']
  const promise = new Promise<Value>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
