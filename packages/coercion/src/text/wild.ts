import { QUICK_NAMES } from '../limits.ts'
import type { LoadedDocument, LoadedObject, LoadedSchema } from '../schema/model.ts'
import { DEPTH_LIMIT } from './fault.ts'
import { isTame, WHOLE } from './parse-strict.ts'

/**
 * Code that says whether what JSON.parse gave, and the schema takes, is not tame: what can only be text or a boolean is
 * not looked at, and an object is gone through only where it has fields that the schema does not name.
 */
export function wildCheck({
  root,
  ownProperties,
}: Pick<LoadedDocument, 'root' | 'ownProperties'>): (value: unknown) => boolean {
  /** Returns from the function if `v`, which may be nested so deep, is wild. */
  const codeOf = (schema: LoadedSchema | undefined, depth: number): string => {
    const { type = ['any'], items, prefixItems, properties = {} } = Object(schema) as LoadedObject
    const types = depth > 0 ? type.join() : 'any'
    if (types === 'array' && !prefixItems) {
      const code = codeOf(items, depth - 1)
      return code && `for(v of v){${code}}`
    }
    const fields = Object.entries(properties)
    // Each field costs a load whether it is there or not. Names that every object inherits always seem to be there.
    if (types === 'object' && fields.length <= QUICK_NAMES && !ownProperties) {
      const looks = fields.map(
        ([name, field]) =>
          `if((v=f[${JSON.stringify(name)}])!==void 0){n--;${codeOf(field, depth - 1)}}`,
      )
      return `{const f=v;let n=0;for(v in f)n++;${looks.join('')}if(n&&!t(f,${depth}))return 1}`
    }
    if (/any|array|object/.test(types)) return `if(!t(v,${depth}))return 1;`
    return /integer|number/.test(types) ? `if(Math.abs(v)>=${WHOLE})return 1;` : ''
  }
  // ajv makes its validators in the same way; all text in the code is quoted by JSON.stringify.
  // oxlint-disable-next-line typescript/no-implied-eval
  const make = new Function('t', `return v=>{${codeOf(root, DEPTH_LIMIT)}}`)
  return make(isTame) as (value: unknown) => boolean
}
