# The server with its defaults, everything that must survive in /data: docs/deployment.md#in-a-container.
FROM python:3.12-slim

COPY . /src
RUN pip install --no-cache-dir --constraint /src/constraints.txt '/src[postgresql]' && rm -r /src \
    && useradd --system --create-home gameserver && mkdir /data && chown gameserver /data

USER gameserver
WORKDIR /data
VOLUME /data
EXPOSE 7789 8080 8081 9090
# SIGTERM is a clean stop: matches are saved, and players are told.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/health', timeout=2)"]
CMD ["gameserver", "serve", "--data", "/data/gameserver.sqlite3"]
