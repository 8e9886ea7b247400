import { InvalidToolError } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { readTools } from '../src/index.ts'
import { gatewayOf, refusal, tool } from './tools.ts'

const declared = { name: 't', description: 'd', adapter: 'cli', command: 'ls' }

const pairs: readonly (readonly [place: string, more: object])[] = [
  ['/inputs', { parameters: { type: 'object' }, inputs: [] }],
  ['/rate_limit', { limits: { per_minute: 1 }, rate_limit: { max_calls_per_hour: 1 } }],
  ['/retry_policy', { retry: { max_retries: 1 }, retry_policy: { max_retries: 2 } }],
  ['/timeout_seconds', { timeout_ms: 1000, timeout_seconds: 2 }],
  ['/timeout', { timeout_seconds: 1, timeout: 2 }],
  ['/limits/max_calls_per_minute', { limits: { per_minute: 1, max_calls_per_minute: 2 } }],
  ['/rate_limit/burst_allowance', { rate_limit: { burst: 1, burst_allowance: 2 } }],
  ['/retry/backoff_strategy', { retry: { backoff: 'fixed', backoff_strategy: 'linear' } }],
  ['/retry/retryable_errors', { retry: { retryable: ['timeout'], retryable_errors: [] } }],
  ['/health_check/interval_seconds', { health_check: { interval_ms: 1, interval_seconds: 1 } }],
  ['/metadata/tags', { permissions: { tags: ['a'] }, metadata: { tags: ['b'] } }],
  ['/adapter', { backend: { type: 'http' } }],
  ['/adapter', { backend: { adapter: 'http' } }],
  ['/command', { backend: { command: 'rm' } }],
  ['/working_dir', { working_dir: 'a', backend: { working_dir: 'b' } }],
  ['/working_dir', { working_dir: 'a', backend: { workingDir: 'b' } }],
  ['/inputs/1/name', { inputs: [{ name: 'a' }, { name: 'a' }] }],
  ['/timeoutMs', { timeout_ms: 1, timeoutMs: 2 }],
  ['/permissions/riskLevel', { permissions: { risk_level: 'low', riskLevel: 'high' } }],
  ['/inputs/0/maxLength', { inputs: [{ name: 'a', type: 'string', max_length: 1, maxLength: 2 }] }],
  ['/confirmMessage', { confirm_message: 'a', confirmMessage: 'b' }],
]

describe('what a declared tool says twice', () => {
  it.each(pairs)('is refused at %s', (place, more) => {
    const refused = refusal(() => readTools({ tools: [{ ...declared, ...more }] }))
    expect(refused).toBeInstanceOf(InvalidToolError)
    expect(refused?.where).toBe(`/tools/0${place}`)
    expect(refused?.message).toMatch(/given beside \w+/)
  })

  it('alike, in places that are not twins, is taken', () => {
    const more = {
      permissions: { tags: ['a'] },
      metadata: { tags: ['a'] },
      backend: { type: 'cli', command: 'ls', adapter: 'CliAdapter' },
    }
    expect(readTools({ ...declared, ...more })[0]?.backend).toEqual({
      adapter: 'cli',
      command: 'ls',
    })
  })

  it('as tool and tools is refused', () => {
    expect(refusal(() => readTools({ tool: declared, tools: [declared] }))?.where).toBe('/tool')
  })
})

describe('the codes after which a tool is tried again', () => {
  const retry = { maxRetries: 1, backoff: 'fixed', initialDelayMs: 1 } as const

  it('are codes of the table, or it is refused with the one that was meant', () => {
    const refused = refusal(() =>
      gatewayOf([tool('t', () => 1, { retry: { ...retry, retryable: ['timeout', 'time_out'] } })]),
    )
    expect(refused?.where).toBe('local::t#/retry/retryable/1')
    expect(refused?.hint).toContain('timeout')
    gatewayOf([
      tool('t', () => 1, { retry: { ...retry, retryable: ['timeout', 'backend_error'] } }),
    ])
  })

  it('may be the words of the articles in a declared tool, and nothing else', () => {
    const read = (codes: readonly string[]) =>
      readTools({ ...declared, retry_policy: { retryable_errors: codes } })[0]?.retry?.retryable
    expect(read(['TIMEOUT', 'CONNECTION_LOST', 'RATE_LIMITED', 'backend_error'])).toEqual([
      'timeout',
      'backend_unavailable',
      'rate_limited',
      'backend_error',
    ])
    expect(refusal(() => read(['TIMEOUT', 'NETWORK']))?.where).toBe(
      '/retry_policy/retryable_errors/1',
    )
  })
})
