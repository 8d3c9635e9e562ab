"""A paid call whose input and answer are the models that datamodel-code-generator made: prints its status and its cost."""
import sys
import urllib.request

from models import DispatchInput, ServiceRequest

url, key = sys.argv[1:]
asked = DispatchInput(service="echo", operation="say", payload={"text": "hello"})
call = urllib.request.Request(
    f"{url}/api/v1/service-requests",
    data=asked.model_dump_json().encode(),
    headers={"authorization": f"Bearer {key}", "content-type": "application/json", "idempotency-key": "python-models"},
)
with urllib.request.urlopen(call) as response:
    answer = ServiceRequest.model_validate_json(response.read())
print(answer.status.value if hasattr(answer.status, "value") else answer.status, answer.cost_cents)
