import { z } from 'zod';
import type { TaxGroup } from '#events/catalogue.events.ts';
import type { Entity } from '#kernel/entity.ts';
import {
  answerDates,
  areDistinct,
  changeBody,
  country,
  createBody,
  name,
  percentage,
  withRegion,
} from './management.contract.ts';

const shape = {
  name,
  taxPercentage: percentage,
  rates: z
    .array(withRegion({ countryCode: country, taxPercentage: percentage }))
    .refine(
      (rates) =>
        areDistinct(rates.map(({ countryCode, regionCode }) => `${countryCode} ${regionCode ?? ''}`)),
      'each country and region once was expected',
    ),
};

export const createTaxGroup = createBody(shape, { rates: [] });
export const changeTaxGroup = changeBody(shape);

export const taxGroupAnswer = ({ id, fields, dateCreated, dateUpdated }: Entity<TaxGroup>) => ({
  id,
  ...fields,
  dateCreated,
  dateUpdated,
});

export const taxGroupSchema = z.object({
  ...answerDates,
  name: z.string(),
  taxPercentage: z.number(),
  rates: z.array(
    z.object({ countryCode: z.string(), regionCode: z.string().nullable(), taxPercentage: z.number() }),
  ),
});
