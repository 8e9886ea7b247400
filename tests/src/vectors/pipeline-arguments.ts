import { createCoercer, sanitizeSchema } from '@callgate/coercion'
import { createGateway, defineTool } from '@callgate/core'
import { CallgateError, type JsonSchema, type ToolResult } from '@callgate/spec'

import { differ, includesAll, show } from './compare.ts'
import { splitWireName } from './wire.ts'

interface ToolInput {
  readonly tool: string
  readonly schema: { readonly parameters: JsonSchema } | null
  readonly arguments: object
}

interface ValidationExpectation {
  readonly accepted?: boolean
  readonly path?: string
  readonly constraint?: string
  readonly error_has?: readonly string[]
  readonly names?: readonly string[]
  readonly tool_invoked?: boolean
  readonly registered?: boolean
  readonly reason_includes?: readonly string[]
}

export async function checkValidation(
  input: ToolInput,
  expected: ValidationExpectation,
): Promise<readonly string[]> {
  let invoked = false
  const register = (): ReturnType<typeof createGateway> =>
    createGateway({
      tools: [
        defineTool({
          ...splitWireName(input.tool),
          description: input.tool,
          parameters: input.schema?.parameters ?? true,
          execute: () => {
            invoked = true
          },
        }),
      ],
    })
  if (expected.registered === false) return checkRefusal(register, expected.reason_includes ?? [])
  const result = await register().dispatch({
    id: 'v',
    name: input.tool,
    arguments: input.arguments,
  })
  return [
    ...differ('accepted', invoked, expected.accepted),
    ...(expected.accepted === true
      ? differ('status', result.status, 'ok')
      : checkError(result, expected)),
  ]
}

function checkRefusal(register: () => unknown, reasons: readonly string[]): readonly string[] {
  try {
    register()
    return ['the tool was registered']
  } catch (error) {
    if (!CallgateError.isInstance(error)) throw error
    return includesAll(
      'reason',
      `${error.message} ${error.where ?? ''} ${error.hint ?? ''}`,
      reasons,
    )
  }
}

function checkError(result: ToolResult, expected: ValidationExpectation): readonly string[] {
  const { error } = result
  const fields = error?.fields ?? []
  const pointer = (expected.path ?? 'arguments').replace(/^arguments\.?/, '').replaceAll('.', '/')
  const path = pointer === '' ? '' : `/${pointer}`
  const fits = fields.some(
    (fault) => fault.path === path && fault.constraint === expected.constraint,
  )
  const parts: Record<string, boolean> = {
    error: error?.message !== undefined && error.message !== '',
    path: fields.every((fault) => typeof fault.path === 'string'),
    constraint: fields.every(({ constraint }) => constraint !== ''),
    parameters: fields.every((fault) => fault.expected !== ''),
    hint: error?.hint !== undefined,
  }
  return [
    ...differ('code', error?.code, 'invalid_arguments'),
    ...(fits ? [] : [`no fault at ${show(path)} of ${expected.constraint}: ${show(fields)}`]),
    ...(expected.error_has ?? [])
      .filter((part) => parts[part] !== true)
      .map((part) => `the error has no ${part}`),
    ...includesAll('fields', show(fields), expected.names ?? []),
  ]
}

export function checkCoercion(
  input: ToolInput,
  expected: { readonly arguments?: unknown; readonly arguments_any_of?: readonly unknown[] },
): readonly string[] {
  const { value } = createCoercer(input.schema?.parameters).coerce(input.arguments)
  const fitting = expected.arguments_any_of ?? [expected.arguments]
  const differences = fitting.map((answer) => differ('arguments', value, answer))
  return differences.some(({ length }) => length === 0) ? [] : differences.flat()
}

export function checkRename(
  { properties }: { readonly properties: readonly string[] },
  { renames }: { readonly renames: { readonly [name: string]: string } },
): readonly string[] {
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      properties.map((name, index) => [name, { type: 'string', title: `p${index}` }]),
    ),
  }
  const shown = sanitizeSchema(schema).schema as {
    readonly properties: { readonly [name: string]: { readonly title: string } }
  }
  const nameOf = (index: number): string | undefined =>
    Object.keys(shown.properties).find((name) => shown.properties[name]?.title === `p${index}`)
  return properties.flatMap((name, index) => differ(name, nameOf(index), renames[name] ?? name))
}
