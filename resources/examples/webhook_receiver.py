"""Receives signed webhooks on PORT, 8787 by default. WEBHOOK_SECRET is the endpoint's ``whsec_…``."""

import os
from http.server import BaseHTTPRequestHandler, HTTPServer

from countersign_client import SignatureError, verify_webhook


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        try:
            event = verify_webhook(body, dict(self.headers.items()), os.environ["WEBHOOK_SECRET"])
        except SignatureError as error:
            self.send_error(400, error.code)
            return
        # Answer at once and work later: the hub repeats a delivery that is not answered within its time limit.
        self.send_response(204)
        self.end_headers()
        print(event["type"], event["data"], flush=True)


if __name__ == "__main__":
    port = int(os.environ.get("PORT", "8787"))
    with HTTPServer(("127.0.0.1", port), Receiver) as server:
        print(f"listening on {port}", flush=True)
        server.serve_forever()
