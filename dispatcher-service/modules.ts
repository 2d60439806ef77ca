import { agentNotices } from './contexts/agent-notices/agent-notices.module.ts';
import { dispatch } from './contexts/dispatch/dispatch.module.ts';
import { mailFiles } from './contexts/mail-files/mail-files.module.ts';
import { mails } from './contexts/mails/mails.module.ts';
import { notifications } from './contexts/notifications/notifications.module.ts';
import { webhooks } from './contexts/webhooks/webhooks.module.ts';
import type { DispatcherModule, MarkedEngines } from './engine/module.ts';
import type { Resumable } from './engine/resume-from-mark.ts';

/** The contexts of the dispatcher service, in the order of the alphabet. */
export const modules: readonly DispatcherModule[] = [
  agentNotices,
  dispatch,
  mailFiles,
  mails,
  notifications,
  webhooks,
];

/** Of all contexts. */
export const resumablesOf = (engines: MarkedEngines): readonly Resumable[] =>
  modules.flatMap(({ resumable }) => resumable?.(engines) ?? []);
