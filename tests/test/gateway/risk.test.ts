import { createGateway, defineTool, memoryAudit } from '@callgate/core'
import { describe, expect, it } from 'vitest'

describe('contextual risk', () => {
  const query = defineTool({
    namespace: 'local',
    name: 'db_query',
    description: 'Queries a database.',
    parameters: {
      type: 'object',
      properties: { database: { type: 'string' } },
      required: ['database'],
    },
    effects: { readOnly: true },
    permissions: {
      requiredRoles: ['DevOps', 'DataEngineer', 'Admin'],
      riskLevel: 'medium',
      requiresApproval: true,
    },
    execute: ({ database }) => `rows of ${String(database)}`,
  })

  it('gives the three scenarios of the article their three outcomes', async () => {
    const audit = memoryAudit()
    let asked = 0
    const gateway = createGateway({
      tools: [query],
      ports: { audit },
      approver: async ({ risk }) => {
        asked++
        expect(risk?.factors).toEqual(
          expect.arrayContaining(['the data is private', 'no workflow is running']),
        )
        return { decision: 'deny' }
      },
    })
    const ask = (role: string, database: string, workflow?: string) =>
      gateway.dispatch(
        { name: 'db_query', arguments: { database } },
        { roles: [role], ...(workflow && { workflow }) },
      )
    const builder = await ask('Builder', 'production')
    expect(builder.error?.code).toBe('permission_denied')
    const deploying = await ask('DevOps', 'analytics in production', 'deploy_v2.3.1_to_production')
    expect(deploying.status).toBe('ok')
    expect(asked).toBe(0)
    const exploring = await ask('DevOps', 'user_profiles')
    expect(exploring.error?.code).toBe('approval_denied')
    expect(asked).toBe(1)
    expect(audit.entries()).toMatchObject([
      { code: 'permission_denied' },
      { status: 'ok', risk: { level: 'medium' } },
      { code: 'approval_denied', risk: { level: 'high' } },
    ])
  })

  it.each([
    ['deploy to\nprod', true],
    ['prod_db', true],
    ['C:\\data\\live', true],
    ['"production"', true],
    ['a product', false],
    ['deliver', false],
    ['reprod', false],
  ])('looks for the words of production in the text itself: %j', async (database, found) => {
    const audit = memoryAudit()
    const gateway = createGateway({ tools: [query], ports: { audit } })
    const context = { roles: ['DevOps'], workflow: 'w' }
    await gateway.dispatch({ name: 'db_query', arguments: { database } }, context)
    expect(JSON.stringify(audit.entries()).includes('the target is production')).toBe(found)
  })
})
