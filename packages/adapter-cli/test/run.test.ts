import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

import { describe, expect, it } from 'vitest'

import { cliAdapter, type CliResult } from '../src/index.ts'
import { call, tool, withInstance, type StoredBlob } from './host.ts'

const node = process.execPath
const script = (code: string): { command: string; argsTemplate: string[] } => ({
  command: node,
  argsTemplate: ['-e', code],
})

describe('a program as a tool', () => {
  it('takes a relative workspace from the current folder, once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'callgate-relative-'))
    try {
      await withInstance(
        cliAdapter({ workspace: relative(process.cwd(), folder) }),
        async (instance) => {
          const { data } = await call(instance, tool(script('console.log(process.cwd())')))
          expect(data).toMatchObject({ stdout: `${await realpath(folder)}\n` })
        },
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('gives exit code and both outputs apart', async () => {
    await withInstance(cliAdapter({}), async (instance) => {
      const output = await call(
        instance,
        tool(script('console.log("out"); console.error("err"); process.exitCode = 3')),
      )
      expect(output.isError).toBe(true)
      expect(output.data).toMatchObject({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
    })
  })

  it('takes a declared exit code for success', async () => {
    await withInstance(cliAdapter({}), async (instance) => {
      const output = await call(
        instance,
        tool({ ...script('process.exitCode = 1'), successCodes: [0, 1] }),
      )
      expect(output.isError).toBeUndefined()
      expect(output.content).toEqual([{ type: 'text', text: 'No output, exit code 1.' }])
    })
  })

  it('says of a declared exit code what it means', async () => {
    const codes = {
      '1': { message: 'Nothing was found.' },
      '3': { error: 'tool_failed' },
      '75': { error: 'rate_limited', message: 'The service is busy.' },
    }
    const exits = (code: number): ReturnType<typeof tool> =>
      tool({
        ...script(`console.error("why\\nmore"); process.exitCode = ${code}`),
        exit_codes: codes,
      } as never)
    await withInstance(cliAdapter({}), async (instance) => {
      const found = await call(instance, exits(1))
      expect(found.isError).toBeUndefined()
      expect(found.content?.at(-1)).toEqual({ type: 'text', text: 'Nothing was found.' })
      await expect(call(instance, exits(3))).rejects.toMatchObject({
        code: 'tool_failed',
        rule: 'exit-code',
        message: 'exit code 3: why',
        started: 'yes',
        backend: { code: 3, data: { stderr: 'why\nmore\n' } },
      })
      await expect(call(instance, exits(75))).rejects.toMatchObject({
        code: 'rate_limited',
        message: 'The service is busy.',
        started: 'no',
      })
      expect((await call(instance, exits(2))).isError).toBe(true)
    })
  })

  it('says why by the first line, of however many there are', async () => {
    const write = 'console.error("why\\r\\n" + "more\\n".repeat(1000)); process.exitCode = 3'
    await withInstance(cliAdapter({}), async (instance) => {
      const declared = tool({ ...script(write), exitCodes: { '3': { error: 'tool_failed' } } })
      await expect(call(instance, declared)).rejects.toMatchObject({ message: 'exit code 3: why' })
      const { content } = await call(instance, tool(script(write)))
      expect(content?.[0]).toEqual({ type: 'text', text: 'exit code 3: why' })
    })
  })

  it('passes hostile text as one literal argument', async () => {
    const text = `$(id) "; rm -rf / ' \\ \n {{text}} 你好 🙂`
    await withInstance(cliAdapter({}), async (instance) => {
      const output = await call(
        instance,
        tool(
          { command: node, argsTemplate: ['-p', 'process.argv[1]', 'x={text}'] },
          { text: { type: 'string' } },
        ),
        { text },
      )
      expect(output.data).toMatchObject({ stdout: `x=${text}\n` })
    })
  })

  it('gives the program no environment but the declared one', async () => {
    const print = script('console.log(JSON.stringify(process.env))')
    await withInstance(
      cliAdapter({ env: { A: 'a' } }),
      async (instance) => {
        const output = await call(instance, tool({ ...print, env: { B: 'x-{env:TOKEN}' } }))
        const { stdout } = output.data as { stdout: string }
        expect(JSON.parse(stdout)).toEqual({
          A: 'a',
          B: 'x-secret-value',
          CALLGATE_RUN: expect.any(String),
        })
      },
      { TOKEN: 'secret-value' },
    )
  })

  it('closes standard input, so that a program that reads it ends', async () => {
    await withInstance(cliAdapter({}), async (instance) => {
      const output = await call(instance, tool({ command: 'cat' }))
      expect(output.data).toMatchObject({ exitCode: 0, stdout: '' })
    })
  })

  it('writes a declared input to standard input', async () => {
    await withInstance(cliAdapter({}), async (instance) => {
      const output = await call(
        instance,
        tool({ command: 'cat', stdin: 'Dear {name},\n' }, { name: { type: 'string' } }),
        { name: '-n' },
      )
      expect(output.data).toMatchObject({ stdout: 'Dear -n,\n' })
    })
  })

  it('refuses half a surrogate pair for standard input, which could only be sent as something else', async () => {
    await withInstance(cliAdapter({}), async (instance) => {
      const echo = tool({ command: 'cat', stdin: '{text}' }, { text: { type: 'string' } })
      expect((await call(instance, echo, { text: '🙂' })).data).toMatchObject({ stdout: '🙂' })
      await expect(call(instance, echo, { text: 'a\uD83D' })).rejects.toMatchObject({
        code: 'guard_refused',
        rule: 'unicode-invalid',
        parameter: 'text',
      })
    })
  })

  it('keeps both ends of a long output and streams the whole into a blob', async () => {
    const blobs: StoredBlob[] = []
    await withInstance(cliAdapter({}), async (instance) => {
      const output = await call(
        instance,
        tool(script('process.stdout.write("é".repeat(1_500_000)); process.stderr.write("short")')),
        {},
        { blobs },
      )
      const { stdout, stderr } = output.data as { stdout: string; stderr: string }
      expect(stderr).toBe('short')
      expect(stdout).toMatch(
        /^é+\n\[… \d+ bytes of stdout left out; the whole is blob blob-1 …\]\né+$/,
      )
      expect(Buffer.byteLength(stdout)).toBeLessThan(2 * 256 * 1024 + 100)
      expect(Buffer.concat(blobs[0]!.chunks).toString()).toBe('é'.repeat(1_500_000))
      expect(blobs[0]!.isClosed).toBe(true)
      expect(output.metadata).toMatchObject({ truncated: { totalBytes: 3_000_005 } })
    })
  })

  it.each([
    ['the adapter', { spill: { maxBytes: 1_500_000 } }, {}],
    ['the tool', { spill: { maxBytes: 7 } }, { spill: { maxBytes: 1_500_000 } }],
    ['the tool in a file', {}, { spill: { max_bytes: 1_500_000 } }],
  ])('keeps of a long output in the blob what %s allows', async (_who, options, own) => {
    const blobs: StoredBlob[] = []
    await withInstance(cliAdapter(options), async (instance) => {
      const output = await call(
        instance,
        tool({ ...script('process.stdout.write("x".repeat(3_000_000))'), ...own }),
        {},
        { blobs },
      )
      const { stdout, exitCode } = output.data as CliResult
      expect(exitCode).toBe(0)
      expect(stdout).toMatch(
        /^x+\n\[… 2475712 bytes of stdout left out; its first 1500000 bytes are blob blob-1 …\]\nx+$/,
      )
      expect(Buffer.concat(blobs[0]!.chunks).length).toBe(1_500_000)
      expect(blobs).toMatchObject([{ isClosed: true }])
    })
  })

  it('opens no blob where none is allowed', async () => {
    const blobs: StoredBlob[] = []
    await withInstance(cliAdapter({ spill: { maxBytes: 0 } }), async (instance) => {
      const definition = tool(script('process.stdout.write("x".repeat(3_000_000))'))
      const { data } = await call(instance, definition, {}, { blobs })
      expect((data as CliResult).stdout).toContain('[… 2475712 bytes of stdout left out …]')
    })
    expect(blobs).toEqual([])
  })

  it('keeps what a store took before it failed', async () => {
    const blobs: StoredBlob[] = []
    let taken = 0
    const onBlobWrite = async (chunk: Uint8Array): Promise<void> => {
      if (taken + chunk.length > 2_000_000) throw new RangeError('The store is full.')
      taken += chunk.length
    }
    await withInstance(cliAdapter({}), async (instance) => {
      const definition = tool(script('process.stdout.write("x".repeat(3_000_000))'))
      const { data } = await call(instance, definition, {}, { blobs, onBlobWrite })
      expect((data as CliResult).stdout).toContain(`its first ${taken} bytes are blob blob-1`)
    })
    expect(taken).toBeGreaterThan(1_000_000)
    expect(blobs).toMatchObject([{ isClosed: true }])
  })

  it('closes a store that takes nothing, and names no blob', async () => {
    const blobs: StoredBlob[] = []
    const onBlobWrite = async (): Promise<void> => {
      throw new RangeError('The store is full.')
    }
    await withInstance(cliAdapter({}), async (instance) => {
      const definition = tool(script('process.stdout.write("x".repeat(3_000_000))'))
      const { data } = await call(instance, definition, {}, { blobs, onBlobWrite })
      expect((data as CliResult).stdout).toContain('bytes of stdout left out …]')
      expect(data).not.toHaveProperty('blobs')
    })
    expect(blobs).toMatchObject([{ isClosed: true }])
  })

  it('keeps output that is no text byte for byte', async () => {
    const blobs: StoredBlob[] = []
    await withInstance(cliAdapter({}), async (instance) => {
      const output = await call(
        instance,
        tool(script('process.stdout.write(Buffer.from([65, 255, 254, 66]))')),
        {},
        { blobs },
      )
      expect(output.data).toMatchObject({ stdout: 'A\uFFFD\uFFFDB', blobs: { stdout: 'blob-1' } })
      expect(Buffer.concat(blobs[0]!.chunks)).toEqual(Buffer.from([65, 255, 254, 66]))
    })
  })

  it('decodes a declared encoding', async () => {
    await withInstance(cliAdapter({}), async (instance) => {
      const output = await call(
        instance,
        tool({
          ...script('process.stdout.write(Buffer.from([0xc4, 0xe3, 0xba, 0xc3]))'),
          encoding: 'gbk',
        }),
      )
      expect(output.data).toMatchObject({ stdout: '你好' })
    })
  })

  it('shows output while it comes', async () => {
    let resolve!: () => void
    const seen = new Promise<void>((settle) => {
      resolve = settle
    })
    await withInstance(cliAdapter({}), async (instance) => {
      const stop = new AbortController()
      const running = call(
        instance,
        tool(script('console.log("first"); setInterval(() => {}, 1000)')),
        {},
        {
          signal: stop.signal,
          onProgress: ({ note, partial }) => {
            if (note === 'stdout' && partial?.type === 'text' && partial.text === 'first\n')
              resolve()
          },
        },
      )
      await seen
      stop.abort()
      await expect(running).rejects.toMatchObject({ code: 'cancelled', started: 'unknown' })
    })
  })
})
