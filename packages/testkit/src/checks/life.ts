import type { AdapterInstance } from '@callgate/spec'

import { adapterHost } from '../host/adapter-host.ts'
import { stopQuietly, withRunning } from '../host/running.ts'
import { checkInstance } from '../host/shapes.ts'
import { check } from '../measure/expect.ts'
import { opened } from '../measure/opened.ts'
import { quietResources, settled } from '../measure/resources.ts'
import { isLate, within } from '../measure/within.ts'
import type { Check } from './check.ts'
import { untilInFlight } from './in-flight.ts'

export const create: Check = {
  name: 'create',
  title: 'create does no I/O',
  async run({ factory, options }) {
    const bound = await factory()
    let instance: AdapterInstance | undefined
    const found = await opened(() => {
      instance = bound.create(adapterHost(options.secrets ?? {}))
    })
    checkInstance(instance)
    await stopQuietly(instance)
    check(found.length === 0, `create opened ${found.join(', ')}; that belongs into start.`)
  },
}

export const lifecycle: Check = {
  name: 'lifecycle',
  title: 'it starts, takes declared tools and lists its own',
  async run(subject) {
    await withRunning(subject, async ({ instance, tools }) => {
      check(typeof instance.invoke === 'function', 'The instance has no invoke.')
      check(tools.length > 0, 'It has no tools: discover gave none, and none are declared.')
    })
  },
}

const stopGraceMs = 300
const marginMs = 1000

export const stop: Check = {
  name: 'stop',
  title: 'stop keeps to its grace, ends what runs, and can be called again',
  async run(subject) {
    await withRunning(subject, async ({ instance, call }) => {
      if (instance.stop === undefined) return
      const slow = call(subject.options.fixtures.slow)
      await untilInFlight(slow, subject.options.fixtures.slow)
      for (const time of ['first', 'second']) {
        const stopped = Promise.resolve(instance.stop({ graceMs: stopGraceMs }))
        // oxlint-disable-next-line no-await-in-loop -- the second after the first
        const late = isLate(await within(stopped, stopGraceMs + marginMs))
        check(
          !late,
          `The ${time} stop took longer than ${stopGraceMs} ms of grace and ${marginMs} ms.`,
        )
      }
      const left = isLate(await within(slow.outcome, marginMs))
      check(!left, 'A call that ran when the adapter was stopped has no outcome.')
    })
  },
}

/** How long is watched what was there before, and how long what was opened may take to go. */
const quietMs = 250
const settleMs = 3000

export const leaks: Check = {
  name: 'leaks',
  title: 'after stop no process, socket, timer or other handle is left',
  async run(subject) {
    const { ok, fails, slow } = subject.options.fixtures
    // What the factory starts is its own; it is started here, before counting.
    const bound = await subject.factory()
    const before = await quietResources(quietMs)
    await withRunning({ ...subject, factory: async () => bound }, async ({ call }) => {
      await call(ok).outcome
      await call(fails).outcome
      if (bound.definition.capabilities.cancel !== true) return
      const cut = call(slow)
      await untilInFlight(cut, slow)
      cut.abort()
      await within(cut.outcome, marginMs)
    })
    const left = await settled(before, settleMs)
    check(left.length === 0, `After stop there are left: ${left.join(', ')}.`)
  },
}
