import type { AdapterInstance } from '@callgate/spec'

import type { ExecProgram } from '../options.ts'
import type { Catalogue } from './catalogue.ts'

type Discovered = Awaited<ReturnType<NonNullable<AdapterInstance['discover']>>>[number]

/** The key of a backend block that says: this is the generic tool. */
export const execKey = 'exec'

/** The generic tool as the model sees it (R8.1). `adapter` is the name of the bound adapter. */
export function execTool(adapter: string, catalogue: Catalogue): Discovered {
  const programs = [...catalogue.values()]
  return {
    name: 'exec_command',
    description: [
      'Runs one program with a list of arguments, without a shell: no pipes, redirections, wildcards or variables.',
      ...programs.map(describe),
    ].join('\n'),
    category: 'command',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['command'],
      properties: {
        command: {
          type: 'string',
          enum: programs.map(({ program }) => program),
          description: 'The program.',
        },
        args: {
          type: 'array',
          items: { type: 'string' },
          default: [],
          description: 'Its arguments, one each; paths lie in the workspace.',
        },
        cwd: {
          type: 'string',
          description: 'The working directory, relative to the workspace. Default: the workspace.',
        },
      },
    },
    backend: { adapter, [execKey]: true },
    permissions: { tags: ['exec'], riskLevel: 'medium' },
  }
}

function describe({ program, subcommands, options = [] }: ExecProgram): string {
  const first = subcommands === undefined ? '' : ` ${subcommands.join('|')}`
  return `- ${program}${first}: ${options.length === 0 ? 'no options' : `options ${options.join(' ')}`}`
}
