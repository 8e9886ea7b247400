import { setTimeout as sleep } from 'node:timers/promises'

import { defineAdapter, ToolError, type BoundAdapter } from '@callgate/spec'

const backend = { adapter: 'words' }
const text = { type: 'string', description: 'Any text.' }
const parameters = { type: 'object', properties: { text }, required: ['text'] }

export const wordsAdapter: (options: { readonly secondsPerWord: number }) => BoundAdapter =
  defineAdapter({
    contract: 1,
    name: 'words',
    capabilities: { cancel: true, isolation: 'none' },
    configSchema: { type: 'object', properties: { secondsPerWord: { type: 'number' } } },
    create({ secondsPerWord }) {
      const stopping = new AbortController()
      return {
        discover: async () => [
          { name: 'count', description: 'Counts words.', parameters, backend },
          { name: 'read', description: 'Reads words aloud.', parameters, backend },
        ],
        async invoke({ tool, arguments: args }, { signal }) {
          const words = String(args['text']).split(/\s+/).filter(Boolean).length
          if (words === 0) throw failed('tool_failed', 'There are no words.')
          const stopped = AbortSignal.any([signal, stopping.signal])
          const ms = tool.name === 'read' ? words * secondsPerWord * 1000 : 0
          await sleep(ms, undefined, { signal: stopped }).catch(() => {
            throw failed('cancelled', 'Stopped in the middle.')
          })
          return { data: { words } }
        },
        stop: async () => stopping.abort(),
      }
    },
  })

const failed = (code: 'tool_failed' | 'cancelled', message: string): ToolError =>
  new ToolError({ code, message, started: 'yes' })
