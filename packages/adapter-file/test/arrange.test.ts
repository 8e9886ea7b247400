import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs'

import { describe, expect, it } from 'vitest'

import type { ListResult } from '../src/index.ts'
import { inWorkspace } from './host.ts'

describe('move', () => {
  it('renames files and folders, and makes folders on the way', () =>
    inWorkspace(async ({ put, call, at }) => {
      put('a.txt', 'text')
      await call('move', { from: 'a.txt', to: 'x/y/b.txt' })
      await call('move', { from: 'x', to: 'z' })
      expect(readFileSync(at('z/y/b.txt'), 'utf8')).toBe('text')
      expect(existsSync(at('a.txt'))).toBe(false)
    }))

  it('replaces a file only when it may, and a folder never', () =>
    inWorkspace(async ({ put, call, at, error }) => {
      put('a', 'a')
      put('b', 'b')
      put('folder/c', '')
      expect(await error('move', { from: 'a', to: 'b' })).toMatchObject({
        rule: 'exists',
        parameter: 'to',
      })
      expect(await error('move', { from: 'a', to: 'folder', overwrite: true })).toMatchObject({
        rule: 'exists',
      })
      await call('move', { from: 'a', to: 'b', overwrite: true })
      expect(readFileSync(at('b'), 'utf8')).toBe('a')
      expect(await error('move', { from: 'no', to: 'x' })).toMatchObject({
        rule: 'not-found',
        parameter: 'from',
      })
    }))

  it('moves nothing into itself, and makes no folder there', () =>
    inWorkspace(async ({ put, at, error }) => {
      put('folder/c', '')
      for (const to of ['folder/inside', 'folder/new/inside']) {
        expect(await error('move', { from: 'folder', to })).toMatchObject({
          rule: 'not-possible',
          parameter: 'to',
          started: 'no',
        })
      }
      expect(readdirSync(at('folder'))).toEqual(['c'])
    }))

  it('of two files at the same time, there and back, ends', () =>
    inWorkspace(async ({ put, call, data }) => {
      put('a', '')
      put('d/b', '')
      await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) =>
          call('move', index % 2 === 0 ? { from: 'a', to: 'd/c' } : { from: 'd/c', to: 'a' }),
        ),
      )
      const { entries } = await data<ListResult>('list', { path: '.', depth: 2 })
      expect(entries).toHaveLength(3)
    }))
})

describe('copy', () => {
  it('copies bytes as they are, and replaces a file only when it may', () =>
    inWorkspace(async ({ put, call, at, error }) => {
      const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => index % 251))
      put('a.bin', bytes)
      await call('copy', { from: 'a.bin', to: 'sub/b.bin' })
      expect(readFileSync(at('sub/b.bin')).equals(bytes)).toBe(true)
      expect(await error('copy', { from: 'a.bin', to: 'sub/b.bin' })).toMatchObject({
        rule: 'exists',
      })
      put('a.bin', 'new')
      await call('copy', { from: 'a.bin', to: 'sub/b.bin', overwrite: true })
      expect(readFileSync(at('sub/b.bin'), 'utf8')).toBe('new')
      expect(await error('copy', { from: 'sub', to: 'other' })).toMatchObject({
        rule: 'not-a-file',
      })
    }))
})

describe('what comes to be at the new place meanwhile', () => {
  it('is not replaced by a copy that may not', () =>
    inWorkspace(async ({ root, put, at, call }) => {
      put('a.bin', 'x'.repeat(20_000_000))
      const outcome = call('copy', { from: 'a.bin', to: 'b' })
      await until(() => readdirSync(root).some((name) => name.endsWith('.tmp')))
      put('b', 'mine')
      await expect(outcome).rejects.toMatchObject({ rule: 'exists', started: 'no' })
      expect(readFileSync(at('b'), 'utf8')).toBe('mine')
      expect(readdirSync(root).toSorted()).toEqual(['a.bin', 'b'])
    }))

  it('is not replaced by a folder that is moved', () =>
    inWorkspace(async ({ put, at, call }) => {
      for (let index = 0; index < 2000; index += 1) put(`from/${index % 40}/${index}`, '')
      const outcome = call('move', { from: 'from', to: 'to' })
      mkdirSync(at('to'))
      await expect(outcome).rejects.toMatchObject({ rule: 'exists', started: 'no' })
      expect(readdirSync(at('to'))).toEqual([])
    }))

  it('is not carried along in a folder that was exchanged', () =>
    inWorkspace(async ({ put, at, call }) => {
      for (let index = 0; index < 2000; index += 1) put(`from/${index % 40}/${index}`, '')
      put('other/secret', '')
      const outcome = call('move', { from: 'from', to: 'to' })
      renameSync(at('from'), at('away'))
      renameSync(at('other'), at('from'))
      await expect(outcome).rejects.toMatchObject({ rule: 'conflict', started: 'no' })
      expect(existsSync(at('from/secret'))).toBe(true)
    }))

  it('leaves a moved file with one name', () =>
    inWorkspace(async ({ put, at, call, data }) => {
      put('a', 'text')
      await call('move', { from: 'a', to: 'b' })
      expect(statSync(at('b')).nlink).toBe(1)
      expect(await data('read', { path: 'b' })).toMatchObject({ text: 'text' })
    }))
})

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

describe('mkdir', () => {
  it('makes folders, and is content with those that are there', () =>
    inWorkspace(async ({ put, call, at, error }) => {
      await call('mkdir', { path: 'a/b/c' })
      await call('mkdir', { path: 'a/b/c' })
      expect(statSync(at('a/b/c')).isDirectory()).toBe(true)
      put('file', '')
      expect(await error('mkdir', { path: 'file/x' })).toMatchObject({ rule: 'not-a-folder' })
    }))
})

describe('delete', () => {
  it('deletes files, empty folders, and full ones only on demand', () =>
    inWorkspace(async ({ put, call, at, error }) => {
      put('a/b/c', '')
      put('a/d', '')
      expect(await error('delete', { path: 'a' })).toMatchObject({
        rule: 'not-empty',
        started: 'no',
      })
      await call('delete', { path: 'a/d' })
      await call('delete', { path: 'a', recursive: true })
      expect(existsSync(at('a'))).toBe(false)
      expect(await error('delete', { path: 'a' })).toMatchObject({ rule: 'not-found' })
    }))

  it('deletes no folder that holds more than the limit', () =>
    inWorkspace(
      async ({ put, at, error }) => {
        for (const name of ['1', '2', '3/4']) put(`a/${name}`, '')
        expect(await error('delete', { path: 'a', recursive: true })).toMatchObject({
          rule: 'too-many-entries',
        })
        expect(existsSync(at('a/3/4'))).toBe(true)
      },
      { limits: { treeEntries: 3 } },
    ))
})
