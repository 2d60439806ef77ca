import type { SendOutcome } from '#ports/sender.ts';

const KEPT_CHARACTERS = 10_000;

/** The part of a receiver's answer that is kept. */
export const keptOf = (responseBody: string): string => responseBody.slice(0, KEPT_CHARACTERS);

export const isSuccess = ({ error, statusCode }: SendOutcome): boolean =>
  error === null && statusCode !== null && statusCode >= 200 && statusCode <= 299;

/** Why an attempt failed, in words. */
export const failureMessage = ({ error, statusCode }: SendOutcome): string =>
  error ?? `The receiver answered with status ${statusCode}`;
