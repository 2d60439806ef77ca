import { productPictures } from '#agent-orders/product-pictures.ts';
import { storefrontUrl } from '#agents/storefront-url.ts';
import { resumeFollower } from '#dispatcher/engine/follower-checkpoint.ts';
import type { DispatcherDeps, DispatcherModule } from '#dispatcher/engine/module.ts';
import { readable } from '#dispatcher/engine/readable.ts';
import { createResolver } from '#runtime/check-target.ts';
import { createOrderLinks } from '#runtime/order-links.ts';
import { createSender } from '#runtime/send.ts';
import { shopUrlOf } from '#runtime/shop-url.ts';
import type { AgentNotice } from '#topics/agent-notice.ts';
import { agentDeliveryRoutes } from './agent-deliveries.routes.ts';
import { createAskSending } from './ask-sending.ts';
import { dispatchNotices } from './dispatch-notices.ts';
import { measureNotices } from './notice-metrics.ts';
import { createPrepareNotices } from './prepare-notices.ts';
import { AGENT_NOTICES } from './queue-notices.ts';
import { createSaleHistory } from './sale-history.ts';

const preparing = ({ runtime, config, settings }: DispatcherDeps) => {
  const { store, codec: decoder, personalTexts, clock, applicationKey, reference } = runtime;
  const { version: ownVersion, schemaBaseUrl } = config.protocol.ucp;
  const links = createOrderLinks(applicationKey);
  const orderLinkOf = (invoiceId: string): string =>
    links.linkTo(invoiceId, storefrontUrl(settings().websiteUrl, shopUrlOf(config, settings())));
  return createPrepareNotices({
    historyOf: createSaleHistory({ store, decoder }),
    ...{ personalTexts, clock },
    shownWith: () => {
      const base = settings().websiteUrl ?? shopUrlOf(config, settings());
      return { ownVersion, schemaBaseUrl, orderLinkOf, imageOf: productPictures(reference, base) };
    },
  });
};

/** Tells agents of the orders that they have placed, and shows staff what was told. */
export const agentNotices: DispatcherModule = {
  name: 'agent-notices',
  resumable: (engines) => ({
    name: 'notices to agents',
    resume: (wish) => resumeFollower(AGENT_NOTICES, engines, wish),
  }),
  create: async (deps) => {
    const { runtime, config, settings, hooks } = deps;
    const { allowLoopbackTargets, protocol, webhooks } = config;
    const { allowInsecureLoopback, webhookTimeoutSeconds } = protocol.ucp;
    const sender = createSender({
      policy: {
        allowLoopback: allowLoopbackTargets || allowInsecureLoopback,
        ...{ allowPrivate: false, isHttpsNeeded: true },
      },
      resolve: createResolver(),
    });
    const dispatch = await dispatchNotices({
      ...runtime,
      ...{ sender, prepare: preparing(deps) },
      shopUrl: () => shopUrlOf(config, settings()),
      askSending: createAskSending(hooks?.hooks ?? [], runtime.log),
      settings: { webhookTimeoutSeconds, deliveryLogRetentionDays: webhooks.deliveryLogRetentionDays },
      isOnlyWriter: runtime.stateStore.isOnlyWriter,
    });
    const { follower } = dispatch;
    return {
      routes: agentDeliveryRoutes({
        ...{ ...runtime, follower, sendNow: dispatch.sendNow },
        readable: (notice: AgentNotice) => readable(runtime.personalTexts, notice),
      }),
      jobs: dispatch.jobs,
      followers: [{ name: 'notices to agents', waitFor: dispatch.settled }],
      checks: [
        {
          name: 'notices to agents',
          check: () =>
            follower.stopped &&
            `stopped at position ${follower.stopped.position}: ${follower.stopped.message}`,
        },
      ],
      measure: (metrics) => measureNotices(dispatch, metrics),
      stop: async () => {
        await dispatch.stop();
        sender.close();
        await dispatch.queues.stop();
      },
    };
  },
};
