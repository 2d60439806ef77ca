import type { Route } from '#http/route.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { Job } from '#runtime/job-runner.ts';
import type { JobDeps, ProjectionDeps } from './service-deps.ts';
import type { DiscountDays, ExplainedView } from './why/explained-view.ts';

/** A context of the projection service: its read models, and the queries on them. */
export interface ProjectionModule {
  /** Its folder. */
  readonly name: string;
  readonly projections?: readonly AnyProjection[];
  /** Which of its own views, or of the resources of its context, are explained by their events. */
  readonly explains?: readonly ExplainedView[];
  /** Of the one that keeps the journals. */
  readonly discountDays?: DiscountDays;
  /** Categories of resources that its own routes show. */
  readonly shows?: readonly string[];
  routes?(deps: ProjectionDeps): readonly Route[];
  jobs?(deps: JobDeps): readonly Job[];
}
