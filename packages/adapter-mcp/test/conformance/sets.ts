/** A fixed set of client scenarios of the official suite. */
export interface ScenarioSet {
  /** The package of the suite under the name that this package has it by; its version stands in the catalog. */
  readonly suite: 'conformance-0.1' | 'conformance-0.2'
  readonly specVersion?: string
  readonly scenarios: readonly string[]
}

const authOfBoth = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
].map((name) => `auth/${name}`)

const before2026 = [
  'initialize',
  'tools_call',
  'elicitation-sep1034-client-defaults',
  'sse-retry',
  ...authOfBoth,
]

const stable = 'conformance-0.1'
const next = 'conformance-0.2'

export const sets: readonly ScenarioSet[] = [
  {
    suite: stable,
    scenarios: [
      ...before2026,
      'auth/2025-03-26-oauth-metadata-backcompat',
      'auth/2025-03-26-oauth-endpoint-fallback',
      'auth/resource-mismatch',
      'auth/offline-access-scope',
      'auth/offline-access-not-supported',
      'auth/client-credentials-jwt',
      'auth/client-credentials-basic',
      'auth/cross-app-access-complete-flow',
    ],
  },
  {
    suite: next,
    specVersion: '2025-11-25',
    scenarios: [...before2026, 'json-schema-2020-12-preservation'],
  },
  {
    suite: next,
    specVersion: '2026-07-28',
    scenarios: [
      'tools_call',
      'request-metadata',
      ...authOfBoth,
      'auth/resource-mismatch',
      'auth/offline-access-scope',
      'auth/offline-access-not-supported',
      'auth/authorization-server-migration',
      'auth/iss-supported',
      'auth/iss-not-advertised',
      'auth/iss-supported-missing',
      'auth/iss-wrong-issuer',
      'auth/iss-unexpected',
      'auth/iss-normalized',
      'auth/metadata-issuer-mismatch',
      'sep-2322-client-request-state',
      'http-standard-headers',
      'http-custom-headers',
      'http-invalid-tool-headers',
      'json-schema-ref-no-deref',
      'json-schema-2020-12-preservation',
    ],
  },
  {
    suite: next,
    scenarios: [
      'auth/dpop',
      'auth/dpop-nonce',
      'auth/enterprise-managed-authorization',
      'auth/client-credentials-jwt',
      'auth/client-credentials-basic',
    ],
  },
]
