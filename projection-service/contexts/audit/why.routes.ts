import { whyParams, whyQuery, whyResponse } from '#contracts/why.contract.ts';
import { reader, route, type Route } from '#http/route.ts';
import { answerAsOf } from '../../engine/moments.ts';
import { answerFromViews } from '../../engine/read-views.ts';
import type { ProjectionDeps } from '../../engine/service-deps.ts';

/** The events behind a figure (docs/rules/why.md). */
export const whyRoute = (
  deps: Pick<ProjectionDeps, 'explanations' | 'moments' | 'waitForPosition' | 'formerLag'>,
): Route =>
  route({
    method: 'GET',
    base: 'management',
    service: 'projection',
    caller: reader,
    path: '/audit/why/{view}/{key}',
    file: import.meta.url,
    summary: 'Read the events behind a figure of a read model, each with what it contributed',
    schemas: { params: whyParams, query: whyQuery },
    response: whyResponse,
    errors: ['entity-not-found', 'too-busy'],
    handle: async ({ params: { view, key }, query: { asOf, ...page }, position: reached }) => {
      const reads = deps.explanations.reads(view);
      return answerFromViews(deps, reads, { position: reached }, () =>
        answerAsOf(deps, asOf, reads, (moment) =>
          deps.explanations.why({ view, key, ...page, asOf: moment }),
        ),
      );
    },
  });
