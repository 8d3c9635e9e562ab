"""An agent's loop, written from GET /agent-docs alone: prints one JSON line for each step. Standard library only."""
import json
import sys
import time
import urllib.error
import urllib.request
import uuid

docs_url, key = sys.argv[1:]


def call(method, url, headers, body=None):
    """Retries when the answer permits it: the same call with the same idempotency key."""
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(3):
        try:
            with urllib.request.urlopen(urllib.request.Request(url, data, headers, method=method)) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            problem = json.load(error)["error"]
            if error.code not in (429, 502, 503):
                sys.exit(f"{error.code} {problem['code']}: {problem['message']}")
            time.sleep(int(error.headers.get("retry-after", 1)))
        except urllib.error.URLError:
            time.sleep(2**attempt)
    sys.exit(f"no answer from {url}")


def print_line(**line):
    print(json.dumps(line), flush=True)


docs = call("GET", docs_url, {"authorization": f"Bearer {key}"})
how, after, outcomes = docs["how_to_request"], docs["after"], docs["outcomes"]
for operation in docs["operations"]:
    headers = {**how["headers"], "authorization": f"Bearer {key}", "idempotency-key": str(uuid.uuid4())}
    body = {"service": operation["service"], "operation": operation["operation"], "payload": operation["example_payload"]}
    answer = call(how["method"], how["url"], headers, body)
    while answer["status"] in after["poll"]["while"]:
        print_line(operation=operation["operation"], status=answer["status"], approval_id=answer.get("approval_id"))
        answer = call(after["poll"]["method"], after["poll"]["url"].replace("<links.self>", answer["links"]["self"]), {"authorization": f"Bearer {key}"})
    status = answer["status"]
    following = after["next_action"][answer["block"]["next_action"]["kind"]] if status == "blocked" else outcomes[status]["next"]
    fate = answer["result"].get("fate") if status == "failed" else None
    print_line(operation=operation["operation"], status=status, cost_cents=answer["cost_cents"], fate=fate, next=following)
