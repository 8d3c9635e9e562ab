/** What a workspace keeps for days only: set in its settings, told where it is gone. The hub's part is test/hub/retention. */
import { expect, expectAccessible, signIn, test } from "../../support/console.ts"

test("a request whose bodies are gone says so, and shows all the rest", async ({ desk, hub, owner, page }) => {
  await desk.topUp(1_000)
  const agent = await desk.agent({ bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }] })
  const { approval_id: approval, id } = await desk.send(agent, { service: "echo", operation: "say", payload: { text: "hush" } })
  await desk.call("POST", `/approvals/${approval}/approve`, 200, {})
  await desk.call("PATCH", `/workspaces/${owner.org}`, 200, { retention_days: 30 })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/requests/${id}`)
  await expect(page.getByRole("main")).toContainText("hush")
  // A month later.
  await hub.beside(`update requests set payload = '{"$removed":true}' where id = '${id}'`)
  await hub.beside(`update settlements set result = '{"$removed":true}' where request_id = '${id}'`)
  await page.reload()
  const gone = page.getByText("Removed: this workspace keeps it for 30 days. Figures, digest and log stay.")
  await expect(gone).toHaveCount(2)
  await expect(page.getByRole("main")).not.toContainText("hush")
  await expect(page.getByRole("main")).toContainText("$0.01")
  await expectAccessible(page)
  await page.goto(`/w/${owner.org}/approvals/${approval}`)
  await expect(gone).toHaveCount(1)
  await expect(page.getByRole("article")).toContainText("echo.say")
  await page.goto(`/w/${owner.org}/settings/workspace`)
  await expect(page.getByLabel("Keep what requests hold for")).toHaveValue("30")
})
