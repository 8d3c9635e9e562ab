"""A paid call through the client that openapi-python-client generated: prints its status and its cost."""
import sys

from generated import AuthenticatedClient
from generated.api.service_requests import service_requests_dispatch
from generated.models.dispatch_input import DispatchInput
from generated.models.service_request import ServiceRequest

url, key = sys.argv[1:]
body = DispatchInput.from_dict({"service": "echo", "operation": "say", "payload": {"text": "hello"}})
answer = service_requests_dispatch.sync(client=AuthenticatedClient(base_url=url, token=key), body=body, idempotency_key="python-client")
if not isinstance(answer, ServiceRequest):
    sys.exit(f"not a service request: {answer}")
print(answer.status.value if hasattr(answer.status, "value") else answer.status, answer.cost_cents)
