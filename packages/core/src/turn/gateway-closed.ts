import { CallgateError } from '@callgate/spec'

/** Why calls stop when their gateway is closed. */
export class GatewayClosed extends CallgateError {
  constructor() {
    super({
      code: 'cancelled',
      rule: 'gateway-closed',
      message: 'The gateway is closed.',
      hint: 'Make a new one with createGateway.',
    })
  }
}
