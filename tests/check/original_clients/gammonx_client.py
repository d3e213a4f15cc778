"""The bot of `examples/`, with habits of GammonX's clients: `python gammonx_client.py URL`.

It polls its search until there is an opponent, as those of 2026 do, and leaves the hub at `force-disconnect`. Its
program stays for a while: `stop()` of signalrcore alone takes 14.5 s.
"""

import asyncio
import json
import sys
import threading
import time
import urllib.error
import urllib.request
import uuid
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "python"))

from gammonx_bot import Bot, join

POLL_S = 0.3
STAY_S = 15.0


def poll(url: str, player: str, queue: str) -> None:
    body = json.dumps({"PlayerId": player, "MatchModus": 0}).encode()
    address, kind = f"{url}/api/matches/queues/{queue}", {"Content-Type": "application/json"}
    status = 0
    with suppress(urllib.error.URLError):
        while status == 0:
            with urllib.request.urlopen(urllib.request.Request(address, body, kind)) as response:
                status = json.load(response)["payload"]["status"]
            time.sleep(POLL_S)


def main(url: str) -> None:
    player = str(uuid.uuid4())
    joined = join(url, player, 0, 0, 2)
    threading.Thread(target=poll, args=(url, player, joined["queueId"]), daemon=True).start()
    asyncio.run(Bot(url, player, joined["matchId"], joined["token"]).play())
    time.sleep(STAY_S)


main(*sys.argv[1:])
