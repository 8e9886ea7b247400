/** The version servers are told; set by the release. */
export const packageVersion = '0.0.0'
