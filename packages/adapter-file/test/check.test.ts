import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { ToolDefinition } from '@callgate/spec'
import { describe, expect, it } from 'vitest'

import { securityCheck, testPathEscape } from '../src/index.ts'
import { host, inWorkspace } from './host.ts'

describe('securityCheck', () => {
  it('tries hostile paths on every tool, and finds each stopped by the rule that is meant for it', () =>
    inWorkspace(async ({ root }) => {
      const options = { roots: { work: { path: root, write: true, deny: ['.git/**', '*.pem'] } } }
      const { ok, tools } = await securityCheck(options, [], host)
      expect(tools).toHaveLength(11)
      expect(
        tools.flatMap(({ probes }) => probes.filter(({ outcome }) => outcome === 'hole')),
      ).toEqual([])
      expect(ok).toBe(true)
      const read = tools.find(({ tool }) => tool === 'file::read')
      const rules = new Set(read?.probes.map(({ rule }) => rule))
      for (const rule of [
        'dotdot',
        'absolute',
        'symlink',
        'hardlink',
        'nul',
        'windows-name',
        'deny-glob',
      ]) {
        expect(rules).toContain(rule)
      }
      // Nothing was done in the declared root.
      expect(readdirSync(root)).toEqual([])
    }))

  it('tells what each tool does where, and what is left open', () =>
    inWorkspace(async ({ root }) => {
      const options = { roots: { work: { path: root, write: true, hardLinks: 'read' as const } } }
      const { tools } = await securityCheck(options, [], host)
      const write = tools.find(({ tool }) => tool === 'file::write')
      expect(write?.facts).toMatchObject({
        operation: 'write',
        roots: [{ name: 'work', path: root, write: true, links: 'deny', hardLinks: 'read' }],
      })
      expect(write?.weaknesses.map(({ rule }) => rule)).toEqual([
        'hard-links',
        'git-writable',
        'no-quota',
      ])
    }))

  it('calls the tools as the adapter that has them is named', () =>
    inWorkspace(async ({ root }) => {
      const options = { name: 'docs', roots: { work: { path: root } } }
      const { tools } = await securityCheck(options, [], host)
      expect(tools.every(({ tool }) => tool.startsWith('docs::'))).toBe(true)
    }))

  it('fails for a tool that cannot be registered', () =>
    inWorkspace(async ({ root }) => {
      const tool: ToolDefinition = {
        namespace: 'local',
        name: 'save',
        description: 'Saves.',
        parameters: { type: 'object', properties: { path: {}, content: {} } },
        backend: { adapter: 'file', operation: 'write' },
      }
      const report = await securityCheck({ roots: { work: { path: root } } }, [tool], host)
      expect(report.ok).toBe(false)
      expect(report.tools.at(-1)).toMatchObject({
        tool: 'local::save',
        refused: { rule: 'read-only' },
      })
    }))
})

describe('testPathEscape', () => {
  it.each([
    ['../../etc/passwd', 'refused', 'dotdot'],
    ['/etc/passwd', 'refused', 'absolute'],
    ['link/secret', 'refused', 'symlink'],
    ['%2e%2e/out', 'inside', 'not-found'],
    ['a.txt', 'inside', undefined],
  ])('says of %s: %s, %s', (target, outcome, rule) =>
    inWorkspace(async ({ root, outside, put }) => {
      put('a.txt', '')
      writeFileSync(join(outside, 'secret'), '')
      symlinkSync(outside, join(root, 'link'))
      const report = testPathEscape({ roots: { work: { path: root } } }, target)
      expect(report).toMatchObject({ ok: true, target, roots: [{ root: 'work', outcome }] })
      expect(report.roots[0]?.rule).toBe(rule)
    }),
  )
})
