/** A hostile value and the rule that has to stop it; without a rule it has to stay data in its own place. */
export interface HttpAttack {
  readonly name: string
  readonly value: string
  readonly rule?: string
}

/** On a whole address that the model chooses (D10). */
export const addressAttacks: readonly HttpAttack[] = [
  { name: 'file', value: 'file:///etc/passwd', rule: 'scheme' },
  { name: 'gopher', value: 'gopher://127.0.0.1:6379/_INFO', rule: 'scheme' },
  { name: 'data', value: 'data:text/plain,x', rule: 'scheme' },
  { name: 'user name', value: 'https://good.example@10.0.0.1/', rule: 'host-parse' },
  { name: 'backslash', value: 'http://10.0.0.1\\@good.example/', rule: 'host-parse' },
  { name: 'folded digits', value: 'http://１0.0.0.1/', rule: 'host-parse' },
  { name: 'localhost', value: 'http://LOCALHOST./', rule: 'host-parse' },
  { name: 'other port', value: 'http://good.example:6379/', rule: 'port' },
  { name: 'loopback', value: 'http://127.0.0.1/', rule: 'private-ip' },
  { name: 'loopback as a number', value: 'http://2130706433/', rule: 'private-ip' },
  { name: 'private network', value: 'http://10.0.0.1/', rule: 'private-ip' },
  { name: 'IPv4 in IPv6', value: 'http://[::ffff:10.0.0.1]/', rule: 'private-ip' },
  { name: '6to4', value: 'http://[2002:a00:1::]/', rule: 'private-ip' },
  { name: 'metadata', value: 'http://169.254.169.254/latest/', rule: 'metadata' },
  { name: 'metadata over IPv6', value: 'http://[fd00:ec2::254]/', rule: 'metadata' },
  { name: 'metadata by name', value: 'http://metadata.google.internal/', rule: 'metadata' },
]

/** Answers of a name server for a host that a tool may ask for. */
export const lookupAttacks: readonly HttpAttack[] = [
  { name: 'name of a private address', value: '10.0.0.5', rule: 'dns' },
  { name: 'name of loopback', value: '127.0.0.1', rule: 'dns' },
  { name: 'name of a metadata address', value: '169.254.169.254', rule: 'dns' },
  { name: 'name of an IPv4 address in IPv6', value: '::ffff:169.254.169.254', rule: 'dns' },
]

/** On a value of the path (D6). */
export const pathAttacks: readonly HttpAttack[] = [
  { name: 'nothing', value: '', rule: 'path-segment' },
  { name: 'same folder', value: '.', rule: 'path-segment' },
  { name: 'parent folder', value: '..', rule: 'path-segment' },
  { name: 'other operation', value: '../../admin' },
  { name: 'encoded parent folder', value: '%2e%2e%2fadmin' },
  { name: 'query', value: 'a?admin=1' },
  { name: 'fragment', value: 'a#b' },
]

/** On a value of the query or a cookie. */
export const pairAttacks: readonly HttpAttack[] = [
  { name: 'second parameter', value: 'a&admin=true' },
  { name: 'second cookie', value: 'a; admin=1' },
  { name: 'fragment', value: 'a#b' },
]

/** On a value of a header (D7). */
export const headerAttacks: readonly HttpAttack[] = [
  { name: 'second header', value: 'a\r\nX-Admin: 1', rule: 'header-value' },
  { name: 'line feed', value: 'a\nX-Admin: 1', rule: 'header-value' },
  { name: 'NUL', value: 'a\0b', rule: 'header-value' },
]
