import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

import { mcpAdapter } from '@callgate/adapter-mcp'
import { createGateway, type Gateway } from '@callgate/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { groupsOfChildren, hasMembers } from '../src/mcp/process-groups.ts'
import { browser, missing } from '../src/mcp/server-programs.ts'

const page = `<!doctype html><title>Guest book</title>
<h1>Guest book</h1>
<label>Name <input></label>
<button onclick="document.querySelector('p').textContent = 'Welcome, ' + document.querySelector('input').value">Sign</button>
<p></p>`

const artifacts = (): number =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('playwright')).length

const why = missing(browser)

describe.skipIf(why !== undefined)(
  `a browser behind Playwright's server${why === undefined ? '' : ` (${why})`}`,
  () => {
    let folder = ''
    let site: Server
    let gateway: Gateway
    let groups: readonly number[] = []
    const leftBefore = artifacts()

    beforeAll(async () => {
      folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'callgate-browser-')))
      site = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end(page)
      })
      await new Promise<void>((resolve) => {
        site.listen(0, '127.0.0.1', resolve)
      })
      const before = groupsOfChildren()
      const servers = { [browser.name]: { ...browser.setUp(folder), timeoutMs: 60_000 } }
      gateway = createGateway({ adapters: [mcpAdapter({ servers, startWaitMs: 30_000 })] })
      await gateway.start()
      groups = groupsOfChildren().filter((group) => !before.includes(group))
    }, 60_000)

    afterAll(async () => {
      await gateway.close()
      site.close()
      site.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
    })

    async function call(tool: string, args: object): Promise<string> {
      const result = await gateway.dispatch({ name: `mcp::browser::${tool}`, arguments: args })
      expect(result.error).toBeUndefined()
      return JSON.stringify(result.data)
    }

    /** A browser that was only just installed may lose its first page, which says nothing of the gateway. */
    async function open(url: string, tries = 3): Promise<void> {
      const name = 'mcp::browser::browser_navigate'
      const { error } = await gateway.dispatch({ name, arguments: { url } })
      if (error?.code === 'tool_failed' && tries > 1) return open(url, tries - 1)
      expect(error).toBeUndefined()
    }

    /** The reference by which a snapshot lets an element be named. */
    const refOf = (snapshot: string, element: RegExp): string =>
      new RegExp(`${element.source}[^\\n]*?\\[ref=(\\w+)\\]`).exec(snapshot)?.[1] ?? ''

    it(
      'opens a page, fills in its form, and sees what comes of it',
      { timeout: 90_000 },
      async () => {
        const { port } = site.address() as AddressInfo
        await open(`http://127.0.0.1:${String(port)}/`)
        const snapshot = await call('browser_snapshot', {})
        expect(snapshot).toContain('Guest book')
        const input = refOf(snapshot, /textbox/)
        const button = refOf(snapshot, /button/)
        await call('browser_type', { element: 'the name', target: input, text: 'Ada' })
        await call('browser_click', { element: 'the button', target: button })
        expect(await call('browser_snapshot', {})).toContain('Welcome, Ada')
      },
    )

    it('gives a picture as a picture', { timeout: 60_000 }, async () => {
      const { content, error } = await gateway.dispatch({
        name: 'mcp::browser::browser_take_screenshot',
        arguments: { scale: 'css' },
      })
      expect(error).toBeUndefined()
      expect(content.map(({ type }) => type)).toContain('image')
    })

    it('is gone after a stop, and leaves nothing in the temporary folder', async () => {
      expect(groups).toHaveLength(1)
      await gateway.close()
      expect(groups.filter(hasMembers)).toEqual([])
      rmSync(folder, { recursive: true, force: true })
      expect(existsSync(folder)).toBe(false)
      expect(artifacts()).toBeLessThanOrEqual(leftBefore)
    })
  },
)
