import { expect } from 'chai';
import type { EventStore } from '#ports/event-store.ts';
import type { ApiResponse, Browser, Request } from './browser.ts';
import type { Step } from './requests.ts';

/** Where a scene is set: a shop's log, and how it comes to rest. */
export interface Stage {
  readonly log: Pick<EventStore, 'head' | 'readAll'>;
  settle(): Promise<void>;
}

/** A request that has been answered. */
interface Outcome {
  readonly answer: ApiResponse;
  /** The types of the events that the log took meanwhile, once everything has come to rest. */
  readonly newEvents: () => Promise<readonly string[]>;
}

export type Check = (outcome: Outcome) => unknown;

/** An answer, and what else is to be said of it: `.and(noNewEvents())`. */
export interface Expectation extends Promise<ApiResponse> {
  and(check: Check): Expectation;
}

/** A request that is to be answered with this status and, among others, these fields. */
export interface ExpectedResponse {
  then(status: number, fields?: Readonly<Record<string, unknown>>): Expectation;
}

/** Exactly these events, in this order. */
export const events =
  (...types: readonly string[]): Check =>
  async ({ newEvents }) =>
    expect(await newEvents()).to.deep.equal(types);

export const noNewEvents = (): Check => events();

/** The code of the refusal, which does not go over the wire. */
export const refusedFor =
  (code: string): Check =>
  ({ answer }) =>
    expect(answer.code).to.equal(code);

/** More about the body. */
export const body =
  (check: (body: ApiResponse['body']) => unknown): Check =>
  ({ answer }) =>
    check(answer.body);

/** The whole body, not only some of its fields. */
export const exactly = (whole: unknown): Check => body((found) => expect(found).to.deep.equal(whole));

/** A header of the answer; null where it must not be there. */
export const header =
  (name: string, value: string | null): Check =>
  ({ answer }) =>
    expect(answer.headers.get(name), name).to.equal(value);

const telling = (outcome: Promise<Outcome>): Expectation =>
  Object.assign(
    outcome.then(({ answer }) => answer),
    {
      and: (check: Check): Expectation =>
        telling(
          outcome.then(async (done) => {
            await check(done);
            return done;
          }),
        ),
    },
  );

const requestOf = (step: Step, last: ApiResponse | null): Request => {
  if (typeof step !== 'function') return step;
  return step(last ?? expect.fail('this request depends on the answer to one before'));
};

const carryOut = async (
  { log, settle }: Stage,
  caller: Browser,
  steps: readonly Step[],
  request: Step,
): Promise<Outcome> => {
  let last: ApiResponse | null = null;
  for (const step of steps) {
    last = await caller.ask(requestOf(step, last));
    expect(last.status, `given: ${last.text}`).to.be.within(200, 299);
  }
  await settle();
  const before = await log.head();
  const answer = await caller.ask(requestOf(request, last));
  const newEvents = async (): Promise<readonly string[]> => {
    await settle();
    return (await log.readAll(before)).map(({ type }) => type);
  };
  return { answer, newEvents };
};

/**
 * `await shop.given(add(mug, 2)).when(add(mug)).then(200, { itemCount: 3 }).and(events('BasketLineQuantityChanged'))`.
 * What is given is asked for by the same caller and must succeed. A body is compared in the fields that are named.
 */
export const scene = (stage: Stage, caller: Browser, steps: readonly Step[]) => ({
  /** Asked for by somebody else than a new shopper. */
  by: (other: Browser) => scene(stage, other, steps),
  when: (request: Step): ExpectedResponse => ({
    then: (status, fields = {}) =>
      telling(
        carryOut(stage, caller, steps, request).then((outcome) => {
          const { answer } = outcome;
          expect(answer.status, answer.text).to.equal(status);
          if (Object.keys(fields).length > 0) expect(answer.body).to.deep.include(fields);
          return outcome;
        }),
      ),
  }),
});
