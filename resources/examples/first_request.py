"""A first paid action. COUNTERSIGN_URL and COUNTERSIGN_API_KEY name the hub and the agent."""

from countersign_client import ApprovalRequired, Blocked, Countersign, Executed, Failed

with Countersign() as client:
    outcome = client.dispatch("echo", "say", {"text": "hello"}, wait=True)
    if isinstance(outcome, Executed):
        print(f"executed for {outcome.cost_cents} cents: {outcome.result}")
    elif isinstance(outcome, ApprovalRequired):
        print(f"a person must decide approval {outcome.approval_id}")
        print(client.poll(outcome.id, until_decided=True).status)
    elif isinstance(outcome, Blocked):
        print(outcome.block.message if outcome.block is not None else outcome.reason_code)
    elif isinstance(outcome, Failed):
        print(outcome.code, outcome.detail)
    else:
        print(f"{outcome.id} still runs")
