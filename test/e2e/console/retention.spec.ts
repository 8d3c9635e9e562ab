/**
 * Retention of contents by days: set in the settings, shown where contents were deleted. The hub's part is
 * test/hub/retention.
 */
import { heartbeat, register, test } from "../../support/console-devices.ts"
import { expect, expectAccessible, signIn } from "../../support/console.ts"

test("a request whose bodies were deleted shows this, and all the rest", async ({ api, hub, owner, page }) => {
  await api.topUp(1_000)
  const agent = await api.agent({ bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }] })
  const { approval_id: approval, id } = await api.send(agent, {
    service: "echo",
    operation: "say",
    payload: { text: "hush" }
  })
  await api.call("POST", `/approvals/${approval}/approve`, 200, {})
  await api.call("PATCH", `/workspaces/${owner.org}`, 200, { retention_days: 30 })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/requests/${id}`)
  await expect(page.getByRole("main")).toContainText("hush")
  // A month later.
  await hub.runSql(`update requests set payload = '{"$removed":true}' where id = '${id}'`)
  await hub.runSql(`update settlements set result = '{"$removed":true}' where request_id = '${id}'`)
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
  await expect(page.getByLabel("Keep contents of requests for")).toHaveValue("30")
})

test("a device command whose contents were removed shows after how many days, and keeps its facts", async ({ api, hub, owner, page }) => {
  const device = await register(api)
  const session = await heartbeat(hub, device)
  const input = { argv: ["deploy", "hush"], stdin: "hush" }
  const { id } = await api.call("POST", `/devices/sessions/${session}/commands`, 201, { tool: "shell.run", input })
  await api.call("POST", `/devices/commands/${id}/cancel`, 200, {})
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/devices/${device.id}/commands/${id}`)
  await expect(page.getByRole("main")).toContainText("hush")
  await expect(page.getByRole("link", { name: "Queue again" })).toBeVisible()
  // Three months later.
  await hub.runSql(`update device_commands set input = '{"$removed":true}', removed_after_days = 90 where id = '${id}'`)
  await page.reload()
  const gone = page.getByText(
    "Removed after 90 days. The command's input, plan, result, and output are no longer kept; its audit log is."
  )
  await expect(gone).toBeVisible()
  await expect(page.getByRole("main")).not.toContainText("hush")
  await expect(page.getByRole("main")).toContainText("shell.run")
  await expect(page.getByRole("link", { name: "Queue again" })).toHaveCount(0)
  await expectAccessible(page)
  await page.goto(`/w/${owner.org}/devices/${device.id}`)
  await expect(page.getByRole("link", { name: "shell.run" }).first()).toBeVisible()
  await page.goto(`/w/${owner.org}/settings/workspace`)
  await expect(page.getByLabel("Keep contents of device commands for")).toHaveValue("90")
})
