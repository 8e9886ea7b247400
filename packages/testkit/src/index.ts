export type { AdapterCheckName } from './checks/check.ts'
export { adapterChecks } from './checks/checks.ts'
export { adapterSuite } from './suite/adapter-suite.ts'
export type {
  AdapterSuite,
  AdapterSuiteOptions,
  Fixture,
  Fixtures,
  TestFunction,
} from './suite/options.ts'
