import { join } from 'node:path';
import type { CommandModule } from '#command/engine/module.ts';
import { createDownloadTokens, createDownloadUrls } from '#runtime/download-tokens.ts';
import { downloadChecks } from './download-checks.ts';
import { createDownloadCounter } from './count-downloads.ts';
import { createDownloadDelivery } from './deliver-downloads.ts';
import { createDownloadFolder } from './download-folder.ts';
import { createDownloads } from './downloads.actions.ts';
import { createDownloadResponses } from './downloads.response.ts';
import { downloadsRoutes } from './downloads.routes.ts';
import { mailDownloads } from './mail-downloads.process.ts';
import { createServeDownload } from './serve-download.ts';

const MINUTE_SECONDS = 60;

export const downloads: CommandModule = {
  name: 'downloads',
  processes: [mailDownloads],
  create: async (deps) => {
    const { config, keys, settings, limits } = deps;
    const { downloadTokenSecret, requestsPerMinute } = config.downloads;
    const tokens = createDownloadTokens(downloadTokenSecret, keys.applicationKey);
    const delivery = createDownloadDelivery(deps);
    const folder = createDownloadFolder(join(config.dataDir, 'downloads'));
    const serve = createServeDownload({
      ...deps,
      tokens,
      folder,
      counter: await createDownloadCounter(deps),
      limit: limits.perWindow('downloads', MINUTE_SECONDS),
      requestsPerMinute,
    });
    const urlOf = createDownloadUrls(tokens, () => settings().websiteUrl);
    const answers = createDownloadResponses({ ...deps, urlOf });
    const actions = createDownloads({ ...deps, deliver: delivery.resume });
    return {
      routes: downloadsRoutes({ actions, answers, serve }),
      shopChecks: downloadChecks(deps.reference.catalogue, folder),
      drivers: { [mailDownloads.name]: delivery },
      actions: { downloads: { shownOn: answers.shownOn, allOf: answers.allOf, deliver: delivery.resume } },
    };
  },
};
