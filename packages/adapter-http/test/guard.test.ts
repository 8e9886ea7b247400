import { connect } from 'node:net'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { HttpAdapterOptions } from '../src/index.ts'
import { declaredTool, testAdapter } from './host.ts'
import { startServer, type TestServer } from './server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const fetchTool = declaredTool({ url: '{url}' }, ['url'])

/** Opens a URL that the model chose, with look-ups and connections that stay on this machine. */
async function open(
  url: string,
  options: HttpAdapterOptions = {},
  names: Record<string, readonly string[]> = {},
): Promise<string | undefined> {
  const { invoke } = testAdapter({
    network: {
      resolve: async (name) => names[name] ?? [],
      connect: async () => connect(server.port, '127.0.0.1'),
    },
    ...options,
  })
  try {
    await invoke(fetchTool, { url })
    return undefined
  } catch (cause) {
    return (cause as { rule?: string; code: string }).rule ?? (cause as { code: string }).code
  }
}

describe('a server that was judged good', () => {
  it.each([
    ['http://h.example@127.0.0.1/', 'host-parse'],
    ['http://h.example\\@127.0.0.1/', 'host-parse'],
    ['http://h.example\u0009.evil/', 'host-parse'],
    ['http://h.example:6379/', 'port'],
    ['http://h.example./x\u0020y', 'host-parse'],
    ['http://h.example.127.0.0.1/', 'host-parse'],
    ['https:h.example/', 'host-parse'],
    ['ftp://h.example/', 'scheme'],
    ['http://h.example/?\\', undefined],
  ])('says nothing about %j', async (url, rule) => {
    const { invoke } = testAdapter({
      network: {
        resolve: async () => ['192.0.9.1'],
        connect: async () => connect(server.port, '127.0.0.1'),
      },
    })
    await invoke(fetchTool, { url: 'http://h.example/' })
    await invoke(fetchTool, { url: 'http://h.example/again?and=again' })
    const later = invoke(fetchTool, { url })
    if (rule === undefined) await later
    else await expect(later).rejects.toMatchObject({ code: 'guard_refused', rule })
  })
})

describe('addresses (D10)', () => {
  it.each([
    ['http://127.0.0.1/', 'private-ip'],
    ['http://10.1.2.3/', 'private-ip'],
    ['http://192.168.0.1/', 'private-ip'],
    ['http://100.64.0.1/', 'private-ip'],
    ['http://198.18.0.1/', 'private-ip'],
    ['http://[::1]/', 'private-ip'],
    ['http://[::]/', 'private-ip'],
    ['http://[::ffff:10.0.0.1]/', 'private-ip'],
    ['http://[64:ff9b::7f00:1]/', 'private-ip'],
    ['http://[2001:0:0:0:0:0:80ff:fffe]/', 'private-ip'],
    ['http://[fc00::1]/', 'private-ip'],
    ['http://169.254.169.254/', 'metadata'],
    ['http://[::ffff:a9fe:a9fe]/', 'metadata'],
    ['http://[64:ff9b::a9fe:a9fe]/', 'metadata'],
    // 10.0.0.1 where the network's prefix is 64:ff9b:1::/48, before what looks like a public address.
    ['http://[64:ff9b:1:a00:0:100:808:808]/', 'private-ip'],
    ['http://168.63.129.16/', 'metadata'],
    ['http://0x08080808/', 'host-parse'],
    ['http://a.localhost/', 'host-parse'],
    ['http://h%2eexample/', 'host-parse'],
    ['http://h.example\u0009/', 'host-parse'],
    [' http://h.example/', 'scheme'],
    ['file:///etc/passwd', 'scheme'],
    ['//h.example/', 'scheme'],
    ['', 'scheme'],
    ['http://', 'host-parse'],
    ['http://h.example:22/', 'port'],
    ['http://8.8.8.8/', undefined],
    ['http://[64:ff9b::808:808]/', undefined],
    ['http://[64:ff9b:1::808:808]/', undefined],
    ['http://[2606:4700::1111]/', undefined],
  ])('%s: %s', async (url, rule) => {
    expect(await open(url)).toBe(rule)
  })

  it('refuses a name of which one address is not public', async () => {
    const names = { 'h.example': ['93.184.216.34', 'fd00::1'] }
    expect(await open('http://h.example/', {}, names)).toBe('dns')
  })

  it('opens what the operator allows: an address, a range, a name', async () => {
    const names = { 'vpn.example': ['198.18.0.170'] }
    expect(await open('http://10.1.2.3/', { allow: ['10.1.2.3'] })).toBeUndefined()
    expect(await open('http://10.1.2.4/', { allow: ['10.1.2.3'] })).toBe('private-ip')
    expect(await open('http://vpn.example/', { allow: ['198.18.0.0/15'] }, names)).toBeUndefined()
    expect(await open('http://vpn.example/', { allow: ['VPN.example'] }, names)).toBeUndefined()
    const local = { localhost: ['127.0.0.1'] }
    expect(await open('http://localhost/', { allow: ['localhost'] }, local)).toBeUndefined()
    expect(await open('http://[::1]/', { allow: ['[::1]'] })).toBeUndefined()
  })

  it('opens a metadata address for nobody', async () => {
    const options = { allow: ['169.254.0.0/16', 'metadata.google.internal', 'm.example'] }
    expect(await open('http://169.254.169.254/', options)).toBe('metadata')
    expect(await open('http://metadata.google.internal/', options)).toBe('metadata')
    const names = { 'm.example': ['169.254.169.254'] }
    expect(await open('http://m.example/', options, names)).toBe('dns')
  })

  it('says which range an address is in', async () => {
    const { invoke } = testAdapter({ network: { resolve: async () => ['198.18.0.170'] } })
    await expect(invoke(fetchTool, { url: 'http://h.example/' })).rejects.toMatchObject({
      message: expect.stringContaining('198.18.0.0/15'),
      cause: { message: expect.stringContaining('198.18.0.170') },
    })
  })

  it('judges the real look-up of a real connection too', async () => {
    const { invoke } = testAdapter({
      network: { resolve: async () => ['127.0.0.1'] },
      ports: [server.port],
    })
    const before = server.seen.length
    await expect(
      invoke(fetchTool, { url: `http://h.example:${server.port}/` }),
    ).rejects.toMatchObject({ code: 'guard_refused', rule: 'dns', started: 'no' })
    expect(server.seen.length).toBe(before)
  })

  it('dials the address that was judged, by the name of the URL', async () => {
    const { invoke } = testAdapter({
      network: { resolve: async () => ['127.0.0.1'] },
      ports: [server.port],
      allow: ['h.example'],
    })
    await invoke(fetchTool, { url: `http://h.example:${server.port}/x` })
    expect(server.last().headers.host).toBe(`h.example:${server.port}`)
  })

  it('keeps the connections of different allow-lists apart', async () => {
    const { invoke } = testAdapter({ ports: [server.port] })
    const open1 = declaredTool({ url: '{url}', allow: ['127.0.0.1'] }, ['url'])
    await invoke(open1, { url: `${server.origin}/` })
    await expect(invoke(fetchTool, { url: `${server.origin}/` })).rejects.toMatchObject({
      rule: 'private-ip',
    })
  })

  it('refuses an entry of allow that it cannot read', () => {
    expect(() =>
      testAdapter({ documents: [{ name: 'a', document: {} }], allow: ['http://x'] }),
    ).toThrow(expect.objectContaining({ rule: 'allow-entry' }))
  })
})
