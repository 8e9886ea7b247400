import { isRecord } from './references.ts'

/**
 * The credentials that a document asks for, for the operator who has to give them: each scheme that it requires, as
 * `name (kind)`.
 */
export function requiredCredentials(root: Record<string, unknown>): readonly string[] {
  const components = isRecord(root['components']) ? root['components'] : {}
  const schemes = components['securitySchemes'] ?? root['securityDefinitions']
  if (!isRecord(schemes)) return []
  const required = new Set(requirementsIn(root))
  return Object.entries(schemes)
    .filter(([name]) => required.has(name))
    .map(([name, scheme]) => `${name} (${kindOf(scheme)})`)
}

/** Names in the Security Requirement Objects of the document and of its operations. */
function requirementsIn(root: Record<string, unknown>): readonly string[] {
  const paths = isRecord(root['paths']) ? Object.values(root['paths']) : []
  const operations = paths.flatMap((item) => (isRecord(item) ? Object.values(item) : []))
  return [root, ...operations].flatMap((node) => {
    const security = isRecord(node) ? node['security'] : undefined
    const list = Array.isArray(security) ? (security as unknown[]) : []
    return list.flatMap((requirement) => (isRecord(requirement) ? Object.keys(requirement) : []))
  })
}

function kindOf(scheme: unknown): string {
  if (!isRecord(scheme)) return 'unknown'
  const facts = [scheme['type'], scheme['scheme'], scheme['in'], scheme['name']]
  return facts.filter((fact) => typeof fact === 'string').join(' ')
}
