// Rules of our own: what pure code must not ask, and how wide comments may be.

const impureCalls = new Set(['setTimeout', 'setInterval', 'setImmediate']);
const impureMembers = { Date: 'now', Math: 'random' };
const WIDEST = 120;

/** Deciders, projections, pricing and reference state take time, chance and ids from their context. */
const pure = {
  create: (context) => ({
    NewExpression(node) {
      if (node.callee.name === 'Date' && node.arguments.length === 0)
        context.report({ node, message: 'Pure code takes the time from its context.' });
    },
    MemberExpression(node) {
      const { object, property } = node;
      if (Object.hasOwn(impureMembers, object.name ?? '') && impureMembers[object.name] === property.name)
        context.report({ node, message: 'Pure code takes time and chance from its context.' });
    },
    Identifier(node) {
      if (node.name === 'randomUUID')
        context.report({ node, message: 'Pure code takes its ids from its context.' });
    },
    CallExpression(node) {
      if (impureCalls.has(node.callee.name)) context.report({ node, message: 'Pure code does not wait.' });
    },
  }),
};

const noEnvironment = {
  create: (context) => ({
    MemberExpression(node) {
      if (node.object.name === 'process' && node.property.name === 'env')
        context.report({
          node,
          message:
            'Only shared-kernel/runtime/config.ts reads the environment; take a setting as a parameter.',
        });
    },
  }),
};

/** The formatter breaks code, but no comments. */
const commentWidth = {
  create: (context) => ({
    Program(node) {
      const { lines } = context.sourceCode;
      for (const comment of context.sourceCode.getAllComments())
        for (let line = comment.loc.start.line; line <= comment.loc.end.line; line++) {
          const text = lines[line - 1] ?? '';
          if (text.length > WIDEST && !text.includes('://'))
            context.report({ node: comment, message: `A comment has at most ${WIDEST} characters a line.` });
        }
    },
  }),
};

export default {
  meta: { name: 'tillroll' },
  rules: { pure, 'no-environment': noEnvironment, 'comment-width': commentWidth },
};
