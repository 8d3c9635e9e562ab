/** A first paid action. `COUNTERSIGN_URL` and `COUNTERSIGN_API_KEY` name the hub and the agent. */
import { Countersign } from "@countersign/client"

const client = new Countersign()
const outcome = await client.dispatch({ service: "echo", operation: "say", payload: { text: "hello" } }, { wait: true })
switch (outcome.status) {
  case "executed":
    console.log(`executed for ${outcome.cost_cents} cents:`, JSON.stringify(outcome.result))
    break
  case "approval_required":
    console.log(`a person must decide approval ${outcome.approval_id}`)
    console.log((await client.poll(outcome.id, { untilDecided: true })).status)
    break
  case "blocked":
    console.log(outcome.block?.message ?? outcome.reason_code)
    break
  case "failed":
    console.log(outcome.code, outcome.detail)
    break
  case "running":
    console.log(`${outcome.id} still runs`)
}
