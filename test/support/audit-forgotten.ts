import type { CustomerEvent } from '#events/customer.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { filesIn } from './files-with.ts';
import { inStoppedShop } from './stopped-shop.ts';
import type { ForgottenLeaver } from './storm-leaver.ts';

/** Forgettings that began, by the stream of whom they forget, with what ended them. */
const forgettingProblems = (events: readonly Recorded[]): readonly string[] => {
  const types: readonly string[] = ['CustomerForgettingStarted', 'CustomerForgotten'];
  const about = events.filter(({ type }) => types.includes(type)) as readonly Recorded<CustomerEvent>[];
  return [...Map.groupBy(about, ({ stream }) => stream)].flatMap(([stream, told]) => {
    const begun = told.filter(({ type }) => type === 'CustomerForgettingStarted').length;
    const ended = told.filter(({ type, data }) => type === 'CustomerForgotten' && data.isLast).length;
    const last = told.at(-1);
    const isComplete = last?.type === 'CustomerForgotten' && last.data.isLast;
    return begun === 1 && ended === 1 && isComplete
      ? []
      : [`${stream} began to be forgotten ${begun} times, and was ${ended} times`];
  });
};

/**
 * Checks that a shop on embedded engines, stopped and settled, has forgotten those of whom it said so: their keys are
 * gone, what was begun is complete, and no file of the data folder says who they were.
 */
export const auditForgotten = async (
  dataDir: string,
  forgotten: readonly ForgottenLeaver[],
): Promise<readonly string[]> => {
  const inLog = await inStoppedShop(dataDir, async ({ keys, events }) => {
    const problems = [...forgettingProblems(events)];
    for (const { mark, basketId } of forgotten)
      if (!(await keys.isForgotten(basketId))) problems.push(`basket ${basketId} of ${mark} still has a key`);
    return problems;
  });
  const inFiles = filesIn(dataDir).flatMap(({ path, bytes }) =>
    forgotten.filter(({ mark }) => bytes.includes(mark)).map(({ mark }) => `${path} still says ${mark}`),
  );
  return [...inLog, ...inFiles];
};
