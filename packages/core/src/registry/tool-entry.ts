import { checkToolSchema, createCoercer, type Coercer, type SchemaNote } from '@callgate/coercion'
import {
  CallgateError,
  InvalidToolError,
  type CallContext,
  type InvokeContext,
  type JsonSchema,
  type ToolDefinition,
  type ToolId,
} from '@callgate/spec'

import { shown } from '../checks/check.ts'
import { pointer } from '../checks/shapes.ts'
import { isFunctionTool, type FunctionTool } from '../define-tool.ts'
import { copyJson } from '../results/copy-json.ts'
import { frozenCopy } from '../results/frozen-copy.ts'
import { compositeAdapter } from './composite.ts'
import { definition as definitionCheck } from './definition-fields.ts'
import { isRecord, type Data } from './read-data.ts'
import { refineWith, standardOf, toJsonSchema, type Refine } from './standard-schema.ts'
import { toolId } from './tool-id.ts'

/** The adapter that runs functions of this program. */
export const functionAdapter = 'function'

/** Adapters that every gateway has. */
export const builtInAdapters: ReadonlySet<string> = new Set([functionAdapter, compositeAdapter])

/** One tool as the registry keeps it. */
export interface ToolEntry {
  readonly id: ToolId
  readonly wireName: string
  readonly definition: ToolDefinition
  /** Who brought it: `code`, or the name of the adapter that discovered it. */
  readonly owner: string
  readonly deferred: boolean
  /** Of a tool and all that replaced it: over when it is taken out, whatever gets its id then. */
  readonly life: { isOver: boolean }
  /** What the schema asks for and no call is checked against: patterns that may explode, remote references. */
  readonly unchecked?: readonly SchemaNote[]
  readonly execute?: (args: never, context: InvokeContext) => unknown
  /** A bridge tool: answers from the registry as the caller sees it. */
  readonly answer?: (args: never, context: CallContext) => unknown
  readonly refine?: Refine
  /** Made at the first call. */
  readonly coercer: () => Coercer
}

export interface EntrySource {
  readonly owner: string
  readonly deferred: boolean
}

/**
 * Checks a tool and makes its entry.
 *
 * @throws InvalidToolError naming the rule, the tool and what to do.
 */
export function makeEntry(
  tool: ToolDefinition | FunctionTool,
  wireName: string,
  source: EntrySource,
  life: ToolEntry['life'] = { isOver: false },
): ToolEntry {
  const id = toolId(tool.namespace, tool.name)
  const standard = standardOf(tool.parameters)
  const definition = ownCopy(definitionOf(tool, id), id)
  checkFields(definition, id)
  const unchecked = checkSchema(definition, id)
  let coercer: Coercer | undefined
  return {
    id,
    wireName,
    definition,
    owner: source.owner,
    deferred: definition.deferred ?? source.deferred,
    life,
    ...(unchecked.length === 0 ? {} : { unchecked }),
    ...(isFunctionTool(tool) ? { execute: tool.execute.bind(tool) } : {}),
    ...(standard === undefined ? {} : { refine: refineWith(standard) }),
    coercer: () => (coercer ??= createCoercer(definition.parameters)),
  }
}

/** What the caller holds stays the caller's: it is neither frozen nor seen again when it changes. */
function ownCopy(definition: ToolDefinition, id: ToolId): ToolDefinition {
  try {
    return frozenCopy(definition)
  } catch (cause) {
    throw new InvalidToolError({
      rule: 'tool-depth',
      where: id,
      message: `The definition of ${id} is refused: it is ${(cause as Error).message}.`,
      cause,
    })
  }
}

/** Only what has the form of a tool can be asked for its id. @throws InvalidToolError */
export function checkIsTool(tool: unknown): asserts tool is Data {
  if (isRecord(tool)) return
  throw new InvalidToolError({
    rule: 'tool-field',
    where: '',
    message: `A tool is ${shown(tool, false)}; expected an object with namespace, name, description and parameters.`,
    hint: 'Make the tool with defineTool, or give a definition as an object.',
  })
}

/** A switch with a value it does not have is refused, so that none is off without anybody having said so. */
function checkFields(definition: ToolDefinition, id: ToolId): void {
  const misfit = definitionCheck(definition)
  if (misfit === undefined) return
  throw new InvalidToolError({
    rule: 'tool-field',
    where: `${id}#${pointer(misfit.path)}`,
    message: `The definition of ${id} is refused: ${misfit.path.join('.')} is ${misfit.got}; expected ${misfit.fits}.`,
    hint: misfit.hint ?? 'Correct the field, or leave it out.',
  })
}

/** A schema is shown to models and kept in files: a big number or a date in it has no JSON. */
function checkJson(field: string, schema: JsonSchema, id: ToolId): void {
  const copied = copyJson(schema)
  if (copied.ok) return
  throw new InvalidToolError({
    rule: 'tool-json',
    where: `${id}#/${field}`,
    message: `The ${field} of ${id} are refused: they are no JSON, for ${copied.reason}.`,
    hint: 'Write big integers and dates as text.',
  })
}

/** A broken schema is refused now, not when a model first calls the tool; gives what of it is not checked. */
function checkSchema(definition: ToolDefinition, id: ToolId): readonly SchemaNote[] {
  checkJson('parameters', definition.parameters, id)
  if (definition.outputs !== undefined) checkJson('outputs', definition.outputs, id)
  const { parameters } = definition
  if (typeof parameters === 'boolean') return []
  try {
    return checkToolSchema(parameters)
  } catch (error) {
    if (!CallgateError.isInstance(error)) throw error
    throw new InvalidToolError({
      rule: error.rule ?? 'schema',
      where: `${id}#${error.where ?? ''}`,
      message: `The parameters of ${id} are refused. ${error.message}`,
      hint: error.hint ?? 'Mend the schema of the tool.',
      cause: error,
    })
  }
}

function definitionOf(tool: ToolDefinition | FunctionTool, id: ToolId): ToolDefinition {
  if (typeof tool.description !== 'string') {
    throw new InvalidToolError({
      rule: 'tool-description',
      where: id,
      message: `The description of ${id} is ${typeof tool.description}; expected text.`,
      hint: 'Say in a sentence what the tool does and when to use it.',
    })
  }
  const standard = standardOf(tool.parameters)
  const parameters =
    standard === undefined
      ? (tool.parameters as ToolDefinition['parameters'])
      : toJsonSchema(standard, id)
  if (isFunctionTool(tool)) {
    const { execute: _, ...rest } = tool
    return { ...rest, parameters, backend: { adapter: functionAdapter } }
  }
  if (typeof tool.backend?.adapter !== 'string') {
    throw new InvalidToolError({
      rule: 'tool-backend',
      where: id,
      message: `${id} names no adapter: backend.adapter is missing.`,
      hint: 'Name the adapter that runs the tool, or give the tool a function `execute`.',
    })
  }
  return { ...tool, parameters }
}
