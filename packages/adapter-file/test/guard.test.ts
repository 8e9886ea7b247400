import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

import { describe, expect, it } from 'vitest'

import { fileAdapter, type ListResult, type ReadResult } from '../src/index.ts'
import { errorOf, inWorkspace, invoke, makePipe, started, toolsOf } from './host.ts'

const isLinux = process.platform === 'linux'

describe('the guard of paths', () => {
  it.each([
    ['', 'type'],
    [['a'], 'type'],
    ['a\0b', 'nul'],
    ['\uD800', 'unicode-invalid'],
    ['C:\\x', 'windows-path'],
    ['\\\\server\\share', 'windows-path'],
    ['a\\b', 'backslash'],
    ['a\\x2e', 'backslash'],
    ['\\xC3\\xA9', 'backslash'],
    ['NUL', 'windows-name'],
    ['com1.txt', 'windows-name'],
    ['COM¹', 'windows-name'],
    ['a.txt:stream', 'windows-name'],
    ['a.', 'windows-name'],
    ['a /b', 'windows-name'],
    ['/etc/passwd', 'absolute'],
    ['//server/share', 'absolute'],
    ['..', 'dotdot'],
    ['a/../../b', 'dotdot'],
  ])('refuses %j by the rule %s, before anything is touched', (path, rule) =>
    inWorkspace(async ({ error }) => {
      for (const operation of ['read', 'write', 'list', 'stat', 'delete', 'mkdir'] as const) {
        expect(await error(operation, { path, content: 'x' })).toMatchObject({
          code: 'guard_refused',
          rule,
          parameter: 'path',
          started: 'no',
        })
      }
      expect(await error('search', { pattern: 'x', dir: path })).toMatchObject({ parameter: 'dir' })
    }),
  )

  it('names the parameter that is at fault', () =>
    inWorkspace(async ({ put, error }) => {
      put('a', '')
      for (const operation of ['copy', 'move'] as const) {
        expect(await error(operation, { from: '../a', to: 'b' })).toMatchObject({
          parameter: 'from',
        })
        expect(await error(operation, { from: 'a', to: '../b' })).toMatchObject({ parameter: 'to' })
      }
    }))

  it('reads a detour that stays inside as what it means', () =>
    inWorkspace(async ({ put, data }) => {
      put('a.txt', 'here')
      const { text, path } = await data<ReadResult>('read', { path: './no/such/../../a.txt' })
      expect([text, path]).toEqual(['here', 'a.txt'])
    }))

  it.each([
    '.git',
    '.git/config',
    '.GIT/config',
    'sub/../.git/x',
    'a/b/.env',
    'deep/key.PEM',
    'two\nlines/key.pem',
    'two\u2028lines/.env',
  ])('refuses %j, which is denied', (path) =>
    inWorkspace(
      async ({ put, error }) => {
        put('.git/config', '')
        for (const operation of ['read', 'write', 'stat', 'delete'] as const) {
          expect(await error(operation, { path, content: '' })).toMatchObject({
            rule: 'deny-glob',
          })
        }
      },
      { root: { deny: ['.git/**', '**/.env', '*.pem'] } },
    ),
  )

  it('shows nothing that is denied', () =>
    inWorkspace(
      async ({ put, call }) => {
        put('secret/key.txt', 'word')
        put('a.txt', 'word')
        for (const [operation, args] of [
          ['list', { path: '.', depth: 3 }],
          ['glob', { glob: '**' }],
          ['search', { pattern: 'word' }],
        ] as const) {
          const text = JSON.stringify(await call(operation, args))
          expect(text).toContain('a.txt')
          expect(text).not.toContain('key.txt')
        }
      },
      { root: { deny: ['secret/**'] } },
    ))

  it('moves no folder that holds something denied, and deletes none', () =>
    inWorkspace(
      async ({ put, error }) => {
        put('config/secret.json', 'x')
        expect(await error('move', { from: 'config', to: 'other' })).toMatchObject({
          rule: 'deny-glob',
        })
        expect(await error('delete', { path: 'config', recursive: true })).toMatchObject({
          rule: 'deny-glob',
        })
      },
      { root: { deny: ['config/secret.json'] } },
    ))

  it('leaves the root itself as it is', () =>
    inWorkspace(async ({ error }) => {
      expect(await error('delete', { path: '.', recursive: true })).toMatchObject({ rule: 'root' })
      expect(await error('move', { from: '.', to: 'x' })).toMatchObject({ rule: 'root' })
      expect(await error('write', { path: 'a/..', content: '' })).toMatchObject({ rule: 'root' })
    }))
})

describe('the guard of lengths', () => {
  it('refuses a name of 256 bytes and a path of 4096, and takes the longest name', () =>
    inWorkspace(async ({ call, error }) => {
      for (const path of ['行'.repeat(86), 'x/'.repeat(2048)]) {
        expect(await error('write', { path, content: '' })).toMatchObject({ rule: 'length' })
      }
      await call('write', { path: '行'.repeat(85), content: '' })
    }))
})

describe('links', () => {
  it('are refused, at the end and on the way, for everything that follows them', () =>
    inWorkspace(async ({ root, outside, put, error }) => {
      writeFileSync(join(outside, 'secret'), 'SECRET')
      put('a.txt', '')
      symlinkSync(join(outside, 'secret'), join(root, 'file'))
      symlinkSync('../out', join(root, 'folder'))
      symlinkSync('a.txt', join(root, 'inside'))
      symlinkSync('loop', join(root, 'loop'))
      for (const path of ['file', 'folder/secret', 'folder/new', 'folder', 'inside', 'loop']) {
        for (const operation of ['read', 'write', 'stat', 'list'] as const) {
          expect(await error(operation, { path, content: 'x' })).toMatchObject({ rule: 'symlink' })
        }
        expect(await error('copy', { from: path, to: 'copy' })).toMatchObject({ rule: 'symlink' })
      }
      expect(await error('mkdir', { path: 'folder/new' })).toMatchObject({ rule: 'symlink' })
      expect(await error('move', { from: 'a.txt', to: 'folder/a' })).toMatchObject({
        rule: 'symlink',
      })
    }))

  it('are deleted themselves, not what they lead to', () =>
    inWorkspace(async ({ root, outside, call, data }) => {
      writeFileSync(join(outside, 'secret'), 'SECRET')
      symlinkSync(outside, join(root, 'folder'))
      mkdirSync(join(root, 'sub'))
      symlinkSync(outside, join(root, 'sub', 'link'))
      await call('delete', { path: 'folder' })
      await call('delete', { path: 'sub', recursive: true })
      expect((await data<ListResult>('list', { path: '.' })).entries).toEqual([])
      expect(readdirSync(outside)).toEqual(['secret'])
    }))

  it('are followed inside where the root permits it, and not further', () =>
    inWorkspace(
      async ({ root, outside, put, at, data, call, error }) => {
        writeFileSync(join(outside, 'secret'), 'SECRET')
        put('sub/a.txt', 'here')
        put('.git/config', 'no')
        symlinkSync(at('sub'), join(root, 'absolute'))
        symlinkSync('../sub/a.txt', join(root, 'sub', 'relative'))
        symlinkSync(outside, join(root, 'away'))
        symlinkSync('.git', join(root, 'git'))
        symlinkSync('nowhere', join(root, 'dangling'))
        expect((await data<ReadResult>('read', { path: 'absolute/relative' })).text).toBe('here')
        await call('write', { path: 'sub/relative', content: 'new' })
        expect((await data<ReadResult>('read', { path: 'sub/a.txt' })).text).toBe('new')
        for (const path of ['away/secret', 'away', 'away/new', 'dangling']) {
          expect(await error('write', { path, content: '' })).toMatchObject({ rule: 'symlink' })
        }
        expect(await error('read', { path: 'git/config' })).toMatchObject({ rule: 'deny-glob' })
      },
      { root: { links: 'inside', deny: ['.git/**'] } },
    ))

  it('with a second name: such a file is neither read nor written', () =>
    inWorkspace(async ({ outside, at, error }) => {
      writeFileSync(join(outside, 'secret'), 'SECRET')
      linkSync(join(outside, 'secret'), at('hard'))
      for (const operation of ['read', 'write', 'stat'] as const) {
        expect(await error(operation, { path: 'hard', content: '' })).toMatchObject({
          rule: 'hardlink',
        })
      }
      expect(
        JSON.stringify(
          await errorOf(Promise.reject(await error('copy', { from: 'hard', to: 'b' }))),
        ),
      ).not.toContain('SECRET')
    }))

  it('with a second name: it is read where the root permits it, and still not written', () =>
    inWorkspace(
      async ({ put, at, data, error }) => {
        put('one', 'text')
        linkSync(at('one'), at('two'))
        expect((await data<ReadResult>('read', { path: 'two' })).text).toBe('text')
        expect(await error('write', { path: 'two', content: '' })).toMatchObject({
          rule: 'hardlink',
        })
      },
      { root: { hardLinks: 'read' } },
    ))
})

describe.runIf(isLinux)('what is no file', () => {
  it('is refused at once: pipes, sockets and devices', () =>
    inWorkspace(async ({ at, error }) => {
      makePipe(at('pipe'))
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(at('socket'), resolve))
      for (const path of ['pipe', 'socket']) {
        for (const operation of ['read', 'write', 'stat', 'delete'] as const) {
          expect(await error(operation, { path, content: '' })).toMatchObject({
            rule: 'special-file',
          })
        }
      }
      await new Promise((resolve) => server.close(resolve))
    }))

  it('is refused in /proc, /sys and /dev when the root is the whole disk', async () => {
    const instance = await started(fileAdapter({ roots: { disk: { path: '/' } } }))
    const tools = await toolsOf(instance)
    for (const path of ['proc/self/environ', 'x/../proc/1/mem', 'sys/kernel', 'dev/null', 'dev']) {
      const [read] = tools
      if (read === undefined) throw new Error('no tools')
      expect(await errorOf(invoke(instance, read, { path }))).toMatchObject({
        rule: 'proc-sys-dev',
      })
    }
  })
})

describe.runIf(isLinux)('names', () => {
  it('that are not UTF-8 are shown written out, and can be used so', () =>
    inWorkspace(async ({ root, put, data, call }) => {
      put('caf\u00e9', 'utf-8')
      writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), 'latin')
      const { entries } = await data<ListResult>('list', { path: '.' })
      expect(entries.map(({ path }) => path).toSorted()).toEqual(['caf\\xE9', 'café'])
      expect((await data<ReadResult>('read', { path: 'caf\\xE9' })).text).toBe('latin')
      await call('write', { path: 'caf\\xE9', content: 'new' })
      expect((await data<ReadResult>('read', { path: 'caf\\xE9' })).text).toBe('new')
      expect(JSON.stringify(await data('search', { pattern: 'new' }))).toContain('caf\\\\xE9')
      await call('delete', { path: 'caf\\xE9' })
      expect((await data<ListResult>('list', { path: '.' })).entries).toHaveLength(1)
    }))

  it('are told apart by how their accents are composed', () =>
    inWorkspace(async ({ call, data }) => {
      await call('write', { path: 'caf\u00e9', content: 'one' })
      await call('write', { path: 'cafe\u0301', content: 'two' })
      expect((await data<ReadResult>('read', { path: 'caf\u00e9' })).text).toBe('one')
    }))
})

describe('a root', () => {
  it('that is read-only offers nothing that changes, and lets nothing through', async () => {
    const roots = { a: { path: import.meta.dirname } }
    const instance = await started(fileAdapter({ roots }))
    const names = (await toolsOf(instance)).map(({ name }) => name)
    expect(names).toEqual(['read', 'list', 'glob', 'search', 'stat'])
  })

  it('that is beside a writable one is not written', () =>
    inWorkspace(async ({ root, outside }) => {
      const instance = await started(
        fileAdapter({ roots: { notes: { path: outside }, work: { path: root, write: true } } }),
      )
      const write = (await toolsOf(instance)).find(({ name }) => name === 'write')
      if (write === undefined) throw new Error('no write')
      const error = await errorOf(
        invoke(instance, write, { root: 'notes', path: 'a', content: '' }),
      )
      expect(error).toMatchObject({ code: 'guard_refused', rule: 'read-only' })
      const { data } = await invoke(instance, write, { path: 'a', content: '' })
      expect(data).toMatchObject({ created: true })
    }))

  it.each([
    ['src/../a.txt', 'a.txt'],
    ['.', undefined],
    ['../out/secret', 'absolute'],
  ])('that normalizes paths takes those of the host that lie below it: %s', (end, expected) =>
    inWorkspace(
      async ({ root, put, call, error }) => {
        put('a.txt', 'text')
        const path = `${root}/${end}`
        if (expected === 'a.txt') {
          expect((await call('read', { path })).data).toMatchObject({
            path: expected,
            text: 'text',
          })
        } else if (expected === undefined) {
          expect((await call('list', { path })).data).toMatchObject({ path: '.' })
        } else {
          expect(await error('read', { path })).toMatchObject({ rule: expected })
        }
      },
      { root: { normalizePath: true } },
    ),
  )

  it('that is not there makes its calls fail and the adapter unhealthy, and nothing else', () =>
    inWorkspace(async ({ root, at }) => {
      const roots = { here: { path: root }, later: { path: at('later') } }
      const instance = await started(fileAdapter({ roots }))
      const [read] = await toolsOf(instance)
      if (read === undefined) throw new Error('no tools')
      const health = (): unknown => instance.health?.(new AbortController().signal)
      expect(await health()).toMatchObject({ state: 'degraded' })
      expect(await errorOf(invoke(instance, read, { root: 'later', path: 'a' }))).toMatchObject({
        code: 'backend_unavailable',
        rule: 'root-missing',
      })
      mkdirSync(at('later'))
      writeFileSync(at('later/a'), 'now')
      expect((await invoke(instance, read, { root: 'later', path: 'a' })).data).toMatchObject({
        text: 'now',
      })
      expect(await health()).toEqual({ state: 'ok' })
    }))

  it('that goes away makes its calls fail until it is there again', () =>
    inWorkspace(async ({ root, data, error, put }) => {
      put('a', 'text')
      expect(await data('read', { path: 'a' })).toMatchObject({ text: 'text' })
      renameSync(root, `${root}-away`)
      const missing = { code: 'backend_unavailable', rule: 'root-missing', started: 'no' }
      expect(await error('read', { path: 'a' })).toMatchObject(missing)
      expect(await error('write', { path: 'b', content: '' })).toMatchObject(missing)
      renameSync(`${root}-away`, root)
      expect(await data('read', { path: 'a' })).toMatchObject({ text: 'text' })
      expect(await error('read', { path: 'b' })).toMatchObject({ rule: 'not-found' })
    }))

  it('may be named through a link', () =>
    inWorkspace(async ({ root, outside }) => {
      symlinkSync(root, join(outside, 'link'))
      writeFileSync(join(root, 'a'), 'text')
      const instance = await started(fileAdapter({ roots: { a: { path: join(outside, 'link') } } }))
      const [read] = await toolsOf(instance)
      if (read === undefined) throw new Error('no tools')
      expect((await invoke(instance, read, { path: 'a' })).data).toMatchObject({ text: 'text' })
    }))

  it('is not mistaken for a folder beside it whose name begins alike', () =>
    inWorkspace(
      async ({ root, error }) => {
        mkdirSync(`${root}-evil`)
        writeFileSync(`${root}-evil/a`, 'SECRET')
        symlinkSync(`${root}-evil`, join(root, 'link'))
        expect(await error('read', { path: 'link/a' })).toMatchObject({ rule: 'symlink' })
        chmodSync(`${root}-evil`, 0o700)
      },
      { root: { links: 'inside' } },
    ))
})
