/** The palette's search over the hub's data. */
import { expect, expectAccessible, signIn, test } from "../../support/console.ts"

const input = { name: "Search or act" }

test.describe("the palette", () => {
  test("finds agents, services, and requests by name and by the words of a payload, and opens them by keyboard", async ({ api, hub, owner, page }) => {
    await api.topUp(1_000)
    const agent = await api.agent({
      name: "Peregrine",
      bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
    })
    const { id } = await api.send(agent, {
      service: "echo",
      operation: "say",
      payload: { text: "Albatross over Zürich" }
    })
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/audit`)
    await expect(page.getByRole("grid")).toBeVisible()
    const asked: Array<string> = []
    page.on("request", (request) => {
      if (request.url().includes("/api/v1/search")) asked.push(new URL(request.url()).searchParams.get("q") ?? "")
    })
    await page.keyboard.press("Control+k")
    const palette = page.getByRole("combobox", input)
    await expect(palette).toBeFocused()
    await page.keyboard.type("peregrine")
    await expect(page.getByRole("group", { name: "Agents" }).getByRole("option", { name: "Peregrine" })).toBeVisible()
    await expectAccessible(page)
    expect(asked.at(-1)).toBe("peregrine")
    await palette.fill("albatross zurich")
    await expect(page.getByRole("group", { name: "Approvals" }).getByRole("option")).toHaveCount(1)
    await expect(page.getByRole("group", { name: "Requests" }).getByRole("option")).toHaveCount(1)
    await expect(page.getByRole("group", { name: "Agents" })).toHaveCount(0)
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page).toHaveURL(`/w/${owner.org}/requests/${id}`)
  })

  test("keeps places and actions while the search fails, without showing the error", async ({ api, hub, owner, page }) => {
    await api.topUp(100)
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/audit`)
    await expect(page.getByRole("grid")).toBeVisible()
    const failed = page.waitForResponse((response) =>
      response.url().includes("/api/v1/search") && response.status() === 400
    )
    await page.route(
      /\/api\/v1\/search/u,
      (route) =>
        route.fulfill({
          status: 400,
          json: { error: { code: "invalid_request", message: "Broken search", request_id: "x" } }
        })
    )
    await page.keyboard.press("Control+k")
    await page.getByRole("combobox", input).fill("requests")
    await failed
    await expect(page.getByRole("option", { name: "Requests" })).toBeVisible()
    await expect(page.getByText("Broken search")).toHaveCount(0)
    await page.getByRole("combobox", input).fill("no such thing")
    await expect(page.getByText("No results.")).toBeVisible()
  })
})
