# The service as an image: built with everything, shipped with what runs. docker-compose.yml starts it with its servers.

FROM node:26.10.0-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json tsconfig.client.json ./
COPY scripts ./scripts
COPY src ./src
COPY client ./client
COPY console ./console
# The optional packages are the Node of a checkout; the image has its own.
RUN npm run build && npm prune --omit=dev --omit=optional --no-audit --no-fund

FROM node:26.10.0-trixie-slim
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=3000 \
  DATA_DIR=/data
WORKDIR /app
RUN install --directory --owner=node --group=node --mode=0700 /data /seals \
  && ln --symbolic /app/dist/audience.js /usr/local/bin/audience
# Owned by root: the service cannot change its own code.
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build --chmod=755 /app/dist ./dist
COPY --from=build /app/scripts/health.mjs /app/scripts/seal-key.mjs ./scripts/
# The user "node", by number, so that an orchestrator can see that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
# Alive, not ready: where an unhealthy container is replaced, a server that is down for a while is no reason to.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "scripts/health.mjs", "/health/live"]
# No shell in between: the process gets SIGTERM itself. Run it with --init: as process 1 it would miss a signal while it starts.
ENTRYPOINT []
CMD ["node", "dist/main.js"]
