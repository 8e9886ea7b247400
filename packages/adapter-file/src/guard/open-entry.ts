import { existsSync } from 'node:fs'

import { openByDescriptor } from './entry-by-descriptor.ts'
import { openByName } from './entry-by-name.ts'
import type { OpenEntry } from './entry.ts'

/** Whether containment is decided on descriptors; else on names before and after. */
export const anchored: boolean = process.platform === 'linux' && existsSync('/proc/self/fd')

/** The way to hold an entry that this platform has. */
export const openEntry: OpenEntry = anchored ? openByDescriptor : openByName
