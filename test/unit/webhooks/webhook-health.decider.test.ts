import type { ObserveWebhook } from '#command/contexts/webhooks/webhook-health.commands.ts';
import { webhookHealthDecider } from '#command/contexts/webhooks/webhook-health.decider.ts';
import { webhookHealthEvents } from '#events/webhook-health.events.ts';
import { given } from '#test/support/given.ts';

const { WebhookReceiverFailed, WebhookDeliveriesGivenUp, WebhookReceiverRecovered } =
  webhookHealthEvents.create;

const noon = '2026-03-01T12:00:00.000Z';
const afterwards = (minutes: number): string => new Date(Date.parse(noon) + minutes * 60_000).toISOString();
const subscription = {
  name: 'Accounting',
  topic: 'invoice.paid',
  targetUrl: 'https://accounting.example.com',
};
const errorMessage = 'The receiver answered with status 500';
const observe = (counted: Partial<ObserveWebhook['counted']>): ObserveWebhook => ({
  type: 'ObserveWebhook',
  subscription,
  counted: {
    failuresInARow: 0,
    givenUpCount: 0,
    lastSuccessUtc: null,
    lastFailureUtc: null,
    lastErrorMessage: errorMessage,
    ...counted,
  },
});

const failed = (at = noon, failuresInARow = 10) =>
  WebhookReceiverFailed({ ...subscription, errorMessage, failuresInARow, at });
const gaveUp = (givenUpCount: number, deliveries = givenUpCount, at = noon) =>
  WebhookDeliveriesGivenUp({ ...subscription, errorMessage, deliveries, givenUpCount, at });
const recovered = (at: string, givenUpCount = 0, troubledSince = noon) =>
  WebhookReceiverRecovered({ ...subscription, troubledSince, givenUpCount, at });

describe('what staff are told of a webhook subscription', () => {
  it('is nothing while fewer than ten attempts in a row failed', () => {
    given(webhookHealthDecider)
      .when(observe({ failuresInARow: 9 }), { at: noon })
      .thenNothing();
  });

  it('is that it fails, after ten, once', () => {
    given(webhookHealthDecider)
      .when(observe({ failuresInARow: 10 }), { at: noon })
      .then([failed()]);
    given(webhookHealthDecider, [failed()])
      .when(observe({ failuresInARow: 5000 }), { at: afterwards(600) })
      .thenNothing();
  });

  it('is that it gave deliveries up, once for all of them, beside that it fails', () => {
    given(webhookHealthDecider, [failed()])
      .when(observe({ failuresInARow: 12, givenUpCount: 1 }), { at: noon })
      .then([gaveUp(1)]);
    given(webhookHealthDecider, [failed(), gaveUp(1)])
      .when(observe({ failuresInARow: 50_000, givenUpCount: 10_000 }), { at: afterwards(600) })
      .thenNothing();
    given(webhookHealthDecider)
      .when(observe({ failuresInARow: 50_000, givenUpCount: 10_000 }), { at: noon })
      .then([failed(noon, 50_000), gaveUp(10_000)]);
  });

  it('is that it has recovered, once an attempt has succeeded since, and only after trouble', () => {
    const success = observe({ lastSuccessUtc: afterwards(5) });
    given(webhookHealthDecider)
      .when(success, { at: afterwards(6) })
      .thenNothing();
    given(webhookHealthDecider, [failed()])
      .when(success, { at: afterwards(6) })
      .then([recovered(afterwards(6))]);
    given(webhookHealthDecider, [gaveUp(1)])
      .when(observe({ givenUpCount: 4, lastSuccessUtc: afterwards(5) }), { at: afterwards(6) })
      .then([recovered(afterwards(6), 4)]);
    given(webhookHealthDecider, [failed(), recovered(afterwards(6))])
      .when(success, { at: afterwards(7) })
      .thenNothing();
  });

  it('is not that it has recovered while the last attempt failed, or by a success from before', () => {
    given(webhookHealthDecider, [failed()])
      .when(observe({ failuresInARow: 1, lastSuccessUtc: afterwards(5) }), { at: afterwards(6) })
      .thenNothing();
    given(webhookHealthDecider, [gaveUp(1)])
      .when(observe({ givenUpCount: 1, lastSuccessUtc: afterwards(-1) }), { at: afterwards(6) })
      .thenNothing();
  });

  it('is that it has recovered by a success that came between its trouble and the news of it', () => {
    const [failure, success] = [afterwards(-2), afterwards(-1)];
    given(webhookHealthDecider, [gaveUp(1)])
      .when(observe({ givenUpCount: 1, lastFailureUtc: failure, lastSuccessUtc: success }), { at: noon })
      .then([recovered(noon, 1)]);
    given(webhookHealthDecider, [gaveUp(1)])
      .when(observe({ givenUpCount: 1, lastFailureUtc: success, lastSuccessUtc: failure }), { at: noon })
      .thenNothing();
  });

  it('is of new trouble an hour after the last began, so that one that comes and goes makes no storm', () => {
    const before = [failed(), gaveUp(3), recovered(afterwards(6), 3)];
    const again = observe({ failuresInARow: 11, givenUpCount: 5, lastSuccessUtc: afterwards(5) });
    given(webhookHealthDecider, before)
      .when(again, { at: afterwards(59) })
      .thenNothing();
    given(webhookHealthDecider, before)
      .when(again, { at: afterwards(60) })
      .then([failed(afterwards(60), 11), gaveUp(5, 2, afterwards(60))]);
  });

  it('counts as told what was given up until it recovered', () => {
    given(webhookHealthDecider, [failed(), gaveUp(1), recovered(afterwards(6), 400)])
      .when(observe({ givenUpCount: 400, lastSuccessUtc: afterwards(5) }), { at: afterwards(90) })
      .thenNothing();
  });
});
