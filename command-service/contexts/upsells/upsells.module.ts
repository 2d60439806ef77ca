import { datedHooks, statusJob } from '#command/engine/dated-rules.ts';
import { createEntityActions } from '#command/engine/entity.actions.ts';
import { switchRoutes } from '#command/engine/entity-routes.ts';
import { rulesFor, type EntityRules } from '#command/engine/entity-rules.ts';
import type { CommandModule } from '#command/engine/module.ts';
import { datesInOrder, type DatedCommand } from '#entities/dated-rule.ts';
import {
  upsellRule,
  type NewUpsell,
  type Upsell,
  type UpsellRuleEvent,
} from '#entities/upsell-rule.entity.ts';
import { createOwnLimit } from '#http/own-limit.ts';
import { addAfterwards } from './post-purchase/add-afterwards.process.ts';
import { autoAdd } from './auto-add.ts';
import { createOffers } from './post-purchase/offer-afterwards.ts';
import { createOfferWindows, type OfferWindows } from './post-purchase/offer-windows.ts';
import { createPostPurchase } from './post-purchase/post-purchase.actions.ts';
import { postPurchaseHooks } from './post-purchase/post-purchase.hooks.ts';
import { postPurchaseRoutes } from './post-purchase/post-purchase.routes.ts';
import { releaseHolds } from './post-purchase/release-holds.job.ts';
import { purgeUpsellEvents } from './upsell-performance/purge-upsell-events.job.ts';
import { createSuggestionActions } from './suggestions.actions.ts';
import { suggestionRoutes } from './suggestions.routes.ts';
import { unknownInRule } from './unknown-in-rule.ts';
import { upsellEventRoutes } from './upsell-performance/upsell-events.routes.ts';
import { createUpsellEvents } from './upsell-performance/upsell-events.ts';
import { upsellKeys } from './upsell-keys.ts';
import { upsellRuleDecider } from './upsell-rule.decider.ts';

const rules: EntityRules<Upsell, NewUpsell, DatedCommand, UpsellRuleEvent> = {
  rules: [datesInOrder],
  decider: upsellRuleDecider,
  unknown: unknownInRule,
  storeReferences: upsellKeys,
};

/** How long a stop waits for recorded events to be written. */
const STOP_MILLISECONDS = 5000;

export const upsells: CommandModule<OfferWindows> = {
  name: 'upsells',
  beforeHooks: [datedHooks('upsellRule', 'UpsellRuleStatusChangingNotification'), postPurchaseHooks],
  processes: [addAfterwards],
  follows: createOfferWindows,
  entityRules: [rulesFor(upsellRule, rules)],
  create: async (deps, windows) => {
    const currency = (): string => deps.settings().storeCurrencyCode;
    const actions = createEntityActions(upsellRule, rules, deps, { currency });
    const { changing, any: hasRules } = deps.reference.upsells;
    const events = await createUpsellEvents({ ...deps, hasRules });
    const postPurchase = createPostPurchase(deps);
    return {
      jobs: [
        statusJob({
          ...deps,
          ...actions,
          name: 'upsell-status',
          worksOff: 'upsells',
          noun: 'an upsell rule',
          changing,
        }),
        purgeUpsellEvents(events, () => deps.settings().eventRetentionDays),
        releaseHolds({ due: windows.due, release: postPurchase.release, log: deps.log }),
      ],
      drivers: { [addAfterwards.name]: postPurchase },
      routes: [
        ...switchRoutes(actions, import.meta.url, ['activate', 'deactivate']),
        ...postPurchaseRoutes({ ...deps, actions: postPurchase }),
        ...suggestionRoutes({ ...deps, actions: createSuggestionActions(deps) }),
        ...upsellEventRoutes({
          ...{ ...deps, events, perMinute: deps.config.storefront.upsellEventsPerMinute },
          limit: createOwnLimit({ now: () => deps.clock.now(), windowSeconds: 60 }),
        }),
      ],
      followers: [{ name: 'upsell events', waitFor: (_, timeoutMs) => events.idle(timeoutMs) }],
      measure: (metrics) => {
        metrics.counter(
          'tillroll_upsell_events_dropped_total',
          'Impressions and clicks that were not taken, as too many waited for the state store',
          events.dropped,
        );
        metrics.gauge('tillroll_open_offers', 'Orders that can be added to after their purchase', () =>
          windows.count(),
        );
      },
      actions: {
        postPurchase: createOffers(deps),
        upsells: {
          addedTo: autoAdd(deps),
          recordImpressions: (to, suggestions) => events.recordImpressions(to, suggestions),
          recordClick: (by, clicked) => events.recordClick(by, clicked),
          impressionsOf: (basketIds) => events.impressionsOf(basketIds),
        },
      },
      stop: async () => void (await events.idle(STOP_MILLISECONDS)),
    };
  },
};
