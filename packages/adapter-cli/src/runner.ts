import { serveRunner } from './runner/serve.ts'

serveRunner()
