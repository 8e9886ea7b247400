import { createHookBus } from '@callgate/hooks'

type Events = {
  publish: {
    payload: { readonly title: string }
    transform: { readonly action: 'modify'; readonly title: string } | void
    gate: { readonly action: 'allow' | 'block'; readonly message?: string } | void
  }
}

const bus = createHookBus<Events>()
bus.declare('publish', { kind: 'gate', fault: 'block' })
bus.on('publish', ({ title }) => ({ action: 'modify', title: title.trim() }), { kind: 'transform' })
bus.on('publish', ({ title }) =>
  title === '' ? { action: 'block', message: 'A title, please.' } : undefined,
)

for (const title of ['  Hello ', '   ']) {
  const { decision, payload, blockedBy } = await bus.run(
    'publish',
    { title },
    { apply: (_, change) => ({ title: (change as { title: string }).title }) },
  )
  console.log(decision, payload, blockedBy?.message ?? 'It passes.')
}
