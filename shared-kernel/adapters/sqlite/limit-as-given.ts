/**
 * As many rows as a parameter says. SQLite plans by the value of one that stands by itself, and so prepares the
 * statement again whenever it is given: that takes several times as long as a few rows.
 */
export const limitAsGiven = 'LIMIT (? + 0)';
