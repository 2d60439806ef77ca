import { z } from 'zod';

/** Fields of `data` that topics share, as integrators get them. */
export const guid = z.guid();
export const instant = z.iso.datetime();
export const text = z.string();
export const money = z.number().describe('In units of its currency');
export const count = z.int().nonnegative();
export const currencyCode = z.string().length(3).describe('ISO 4217 code');
/** Null once the person is forgotten, too. */
export const personalText = z.string().nullable();
