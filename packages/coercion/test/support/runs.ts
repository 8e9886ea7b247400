/** How many runs a property gets: ten times fewer outside CI. */
export function runs(count: number): { readonly numRuns: number } {
  return { numRuns: process.env['CI'] ? count : count / 10 }
}
