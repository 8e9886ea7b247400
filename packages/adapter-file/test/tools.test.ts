import { readFileSync } from 'node:fs'

import { InvalidToolError, type ToolDefinition } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { adapter, fileAdapter, type FileOptions } from '../src/index.ts'
import { errorOf, host, inWorkspace, invoke, started, toolsOf } from './host.ts'

const two: FileOptions = {
  roots: {
    work: { path: 'work', write: true },
    notes: { path: 'notes' },
    linked: { path: 'linked', links: 'inside' },
  },
}

async function offered(options: FileOptions): Promise<ReadonlyMap<string, ToolDefinition>> {
  const tools = await toolsOf(fileAdapter(options).create(host))
  return new Map(tools.map((tool) => [tool.name, tool]))
}

describe('the tools that are offered', () => {
  it('describe themselves, their parameters and their effects', async () => {
    const tools = await offered(two)
    for (const { description, parameters } of tools.values()) {
      expect(description.length).toBeGreaterThan(40)
      const { properties } = parameters as { readonly properties: Readonly<Record<string, object>> }
      for (const property of Object.values(properties))
        expect(property).toHaveProperty('description')
    }
    expect(tools.get('read')?.effects).toMatchObject({ readOnly: true, idempotent: true })
    expect(tools.get('write')?.effects).toMatchObject({ destructive: true, idempotent: true })
    expect(tools.get('delete')?.effects).toMatchObject({ destructive: true })
  })

  it('let the model choose among the roots that permit them', async () => {
    const tools = await offered(two)
    const choice = (name: string): unknown =>
      (
        tools.get(name)?.parameters as
          | { readonly properties?: { readonly root?: unknown } }
          | undefined
      )?.properties?.root
    expect(choice('read')).toMatchObject({ enum: ['work', 'notes', 'linked'] })
    expect(choice('write')).toBeUndefined()
  })

  it('say what a call touches: by place, without regard to how the path is written', async () => {
    const tools = await offered(two)
    const touched = (name: string, args: object): unknown =>
      tools.get(name)?.effects?.resources?.(args)
    const place = (end: string): unknown => expect.stringMatching(new RegExp(`^file:.*${end}$`))
    expect(touched('read', { path: './a//B' })).toEqual({ read: [place('/work/a/b')], write: [] })
    expect(touched('read', { path: 'a/b' })).toEqual(touched('read', { path: 'A/x/../b' }))
    expect(touched('write', { path: 'a' })).toEqual({ read: [], write: [place('/work/a')] })
    expect(touched('copy', { from: 'a', to: 'b' })).toEqual({
      read: [place('/work/a')],
      write: [place('/work/b')],
    })
    expect(touched('search', { pattern: 'x' })).toEqual({ read: [place('/work')], write: [] })
    expect(touched('read', { path: 'a', root: 'notes' })).toEqual({
      read: [place('/notes/a')],
      write: [],
    })
  })

  it('say nothing of it where one file has several paths', async () => {
    const tools = await offered(two)
    expect(tools.get('read')?.effects?.resources?.({ path: 'a', root: 'linked' })).toBeUndefined()
  })

  it('are found under both names of the package', () => {
    expect(adapter).toBe(fileAdapter)
  })
})

describe('a declared tool', () => {
  const parameters = (...names: readonly string[]): object => ({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  })
  const declare = (backend: object, schema: object = parameters('path')): ToolDefinition => ({
    namespace: 'local',
    name: 'tool',
    description: 'Reads.',
    parameters: schema as ToolDefinition['parameters'],
    backend: { adapter: 'file', ...backend },
  })

  it.each([
    [{ operation: 'read', rot: 'work' }, parameters('path'), 'backend-key'],
    [{ operation: 'reed' }, parameters('path'), 'operation'],
    [{}, parameters('path'), 'operation'],
    [{ operation: 'read', root: 'elsewhere' }, parameters('path'), 'root'],
    [{ operation: 'write', root: 'notes' }, parameters('path', 'content'), 'read-only'],
    [{ operation: 'write' }, parameters('path'), 'parameters'],
    [{ operation: 'read' }, parameters('path', 'filename'), 'parameters'],
  ])('with the block %j is refused by a rule', (backend, schema, rule) => {
    const instance = fileAdapter(two).create(host)
    const accept = (): void => instance.accept?.(declare(backend, schema))
    expect(accept).toThrow(InvalidToolError)
    expect(accept).toThrow(expect.objectContaining({ rule, where: 'local::tool' }))
  })

  it('does its operation in its root alone', () =>
    inWorkspace(async ({ root, outside, put }) => {
      put('a', 'text')
      const roots = { notes: { path: outside }, work: { path: root } }
      const instance = await started(fileAdapter({ roots }))
      const tool = declare({ operation: 'read', root: 'work' })
      instance.accept?.(tool)
      expect((await invoke(instance, tool, { path: 'a' })).data).toMatchObject({ text: 'text' })
      expect(await errorOf(invoke(instance, tool, { path: '../out/x' }))).toMatchObject({
        rule: 'dotdot',
      })
      const inNotes = { path: 'a', root: 'notes' }
      expect((await invoke(instance, tool, inNotes)).data).toMatchObject({ text: 'text' })
    }))
})

describe('reading and writing', () => {
  const names = async (bound: ReturnType<typeof fileAdapter>): Promise<readonly string[]> =>
    (await toolsOf(await started(bound))).map(({ name }) => name)

  it('are allowed apart', () =>
    inWorkspace(async ({ root, at }) => {
      const readable = ['read', 'list', 'glob', 'search', 'stat']
      const writable = ['write', 'mkdir', 'move', 'delete']
      const named = (options: object) =>
        fileAdapter({ roots: { work: { path: root, ...options } } })
      expect(await names(named({}))).toEqual(readable)
      expect(await names(named({ read: false, write: true }))).toEqual(writable)
      const both = await names(named({ write: true }))
      expect(both.toSorted()).toEqual([...readable, ...writable, 'copy', 'edit'].toSorted())
      const drop = { path: root, read: false, write: true }
      const instance = await started(fileAdapter({ roots: { notes: { path: root }, drop } }))
      const tools = new Map((await toolsOf(instance)).map((tool) => [tool.name, tool]))
      await invoke(instance, tools.get('write')!, { path: 'a', content: 'text' })
      expect(readFileSync(at('a'), 'utf8')).toBe('text')
      // Whatever schema the tool has, the root decides.
      const asked = { path: 'a', root: 'drop' }
      expect(await errorOf(invoke(instance, tools.get('read')!, asked))).toMatchObject({
        code: 'guard_refused',
        rule: 'write-only',
      })
      const backend = { adapter: 'file', operation: 'copy', root: 'drop' }
      const copy = { ...tools.get('move')!, namespace: 'local', backend }
      expect(() => instance.accept?.(copy)).toThrow(expect.objectContaining({ rule: 'write-only' }))
    }))
})

describe('options', () => {
  it.each([
    [{}, 'adapter-options'],
    [{ roots: {} }, 'adapter-options'],
    [{ roots: { a: { path: 'x', links: 'allow' } } }, 'adapter-options'],
    [{ roots: { a: { path: 'x', read: false } } }, 'adapter-options'],
    [{ roots: { a: { path: '/proc/self' } } }, 'root-proc-sys-dev'],
    [{ roots: { a: { path: 'x' } }, limits: { pageBytes: 1 } }, 'adapter-options'],
  ])('%j are refused', (options, rule) => {
    const bound = fileAdapter(options as unknown as FileOptions)
    expect(() => bound.create(host)).toThrow(expect.objectContaining({ rule }))
  })
})

describe('stop', () => {
  it('ends what runs', () =>
    inWorkspace(async ({ put, call, instance }) => {
      put('a', 'x'.repeat(100))
      const content = 'x'.repeat(20_000_000)
      const writing = call('write', { path: 'b', content })
      await instance.stop?.({ graceMs: 1000 })
      await expect(writing).rejects.toMatchObject({ code: 'cancelled' })
      await expect(call('read', { path: 'a' })).rejects.toMatchObject({ code: 'cancelled' })
    }))
})
