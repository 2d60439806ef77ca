import { expect } from 'chai';
import { asPortError } from '#adapters/mongodb/mongo-errors.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';

const withCode = (message: string, code: string): Error => Object.assign(new Error(message), { code });

describe('an error of the MongoDB driver', () => {
  it('means that the server is unavailable if Node says so about the connection', () => {
    const ended = withCode('This socket has been ended by the other party', 'EPIPE');
    for (const error of [ended, withCode('destroyed', 'ERR_STREAM_DESTROYED'), withCode('', 'ECONNRESET')])
      expect(asPortError(error)).to.be.instanceOf(EngineUnavailable);
  });

  it('remains our own mistake if it is one', () => {
    for (const error of [new TypeError('no'), withCode('not a text', 'ERR_INVALID_ARG_TYPE')])
      expect(asPortError(error)).to.equal(error);
  });
});
