import { expect } from 'chai';
import { Rejection } from '#kernel/rejection.ts';

type Failure<Fails extends Error> = new (...parts: never[]) => Fails;

/**
 * For use cases, as given(…).when(…) is for deciders: `await when(pay()).thenRefused('out-of-stock')`. Work that
 * succeeds fails the test.
 */
export const when = (work: Promise<unknown>) => {
  const failure = async (): Promise<unknown> => {
    try {
      await work;
    } catch (error) {
      return error;
    }
    return expect.fail('not refused');
  };
  return {
    /** With these among the refusal's details, if any are named. */
    thenRefused: async (
      code: string,
      details: Readonly<Record<string, unknown>> = {},
    ): Promise<Rejection> => {
      const error = await failure();
      if (!(error instanceof Rejection)) throw error;
      expect(error.code).to.equal(code);
      expect(error.details).to.deep.include(details);
      return error;
    },
    /** With an error of this class, whose message has this in it. */
    thenFails: async <Fails extends Error>(type: Failure<Fails>, message = ''): Promise<Fails> => {
      const error = await failure();
      expect(error).to.be.instanceOf(type);
      expect((error as Fails).message).to.include(message);
      return error as Fails;
    },
  };
};
