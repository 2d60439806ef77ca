import { whatIfBody, type WhatIfAnswer } from '#contracts/what-if.contract.ts';
import { parseAt } from '#contracts/store-file.contract.ts';
import { createKeylessDecoder } from '#log/codec.ts';
import { invalidRequest, Rejection } from '#kernel/rejection.ts';
import { readKeys } from '#runtime/keys.ts';
import { refusalText } from '#runtime/refusal-text.ts';
import { settingsOver, type StoreSettings } from '#values/store-settings.ts';
import { openOffline } from '../../../shared-kernel/open-offline.ts';
import { createDiscountActions } from '../../contexts/discounts/discount.actions.ts';
import { runWhatIf, type WhatIfProgress } from '../../contexts/discounts/what-if/run-what-if.ts';
import { planWhatIf } from '../../contexts/discounts/what-if/what-if.actions.ts';
import { shareOf, whatIfAnswer } from '../../contexts/discounts/what-if/what-if.response.ts';
import type { ModuleDeps } from '../../engine/module.ts';
import { whenReady } from '../../engine/reach-position.ts';
import { commandPlan } from '../../main.ts';
import type { AskWhatIf } from './what-if-command.ts';

/** What the shop would have refused, in its words. */
const asRefusal = (error: unknown): unknown =>
  error instanceof Rejection ? new Error(refusalText(error.message, error.details['errors'])) : error;

const carryOut = async (
  deps: ModuleDeps,
  body: unknown,
  onProgress: (progress: WhatIfProgress) => void,
): Promise<WhatIfAnswer> => {
  const { store, config, settings } = deps;
  const problems: string[] = [];
  const wish = parseAt(
    whatIfBody(() => settings().storeCurrencyCode),
    body,
    '',
    problems,
  );
  if (wish === null) throw invalidRequest(...problems);
  const actions = createDiscountActions(deps);
  const planned = await planWhatIf({ ...deps, problems: actions.problems, configured: config.store }, wish);
  const sources = { store, decoder: createKeylessDecoder(store), onProgress };
  return whatIfAnswer(planned.asked, await runWhatIf(sources, planned.question));
};

/** On the configured engines, which are only read, for the command line where no shop runs on this machine. */
export const askOffline: AskWhatIf = async (config, body, onShare) => {
  const { parts, create } = commandPlan();
  const runtime = await openOffline(config, { parts });
  const settings = (): StoreSettings => settingsOver(runtime.reference.settings.current(), config.store);
  const command = await create({ runtime, settings, config, keys: readKeys(config) });
  await runtime.feed.start();
  try {
    await whenReady(runtime);
    return await carryOut(command.deps, body, (progress) => onShare(shareOf(progress)));
  } catch (error) {
    throw asRefusal(error);
  } finally {
    await command.stop();
    await runtime.close();
  }
};
