# One image for all three services, and for the whole shop in one process. TypeScript runs as it is: nothing is built, only kept compiled.
FROM node:26.10.0-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:26.10.0-slim
ENV NODE_ENV=production PORT=4000 DATA_DIR=/data
WORKDIR /app
RUN install -d -m 700 -o 1000 -g 1000 /data /data/downloads
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE tillroll.ts ./
COPY shared-kernel shared-kernel
COPY command-service command-service
COPY projection-service projection-service
COPY dispatcher-service dispatcher-service
COPY .config/runtime.js .config/own-files.js .config/tillroll.js .config/compile.js .config/
RUN install -d -m 700 -o 1000 -g 1000 node_modules/.cache/tillroll
USER 1000:1000
# TypeScript runs as it is, out of the compile cache: it is kept by user, and by kind of processor.
RUN ["node", ".config/compile.js"]
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process, so that it gets the signal to stop and finishes what is in flight.
ENTRYPOINT ["node", "--max-semi-space-size=10", ".config/tillroll.js"]
CMD ["start"]
