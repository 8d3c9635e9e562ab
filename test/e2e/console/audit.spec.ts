/** The audit log: its filters, one entry with its change and hash, the verification of the chain, and the export. */
import { verifyAuditLines } from "@countersign/domain/audit-chain"
import type { Page } from "@playwright/test"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { type ConsoleHub, expect, expectAccessible, type Person, signIn, test } from "../../support/console.ts"

const rows = (page: Page) =>
  page.getByRole("grid", { name: "Entries of the log, newest first" }).getByRole("row").filter({
    has: page.getByRole("gridcell")
  })
const chip = (page: Page, name: string) =>
  page.getByRole("search", { name: "Filters" }).getByRole("button", { name, exact: true })
const entry = (page: Page, seq: number | string) =>
  page.getByRole("complementary", { name: `Entry ${seq}`, exact: true })

const open = async (page: Page, hub: ConsoleHub, person: Person, query = "") => {
  await signIn(page, hub, person)
  await page.goto(`/w/${person.org}/audit${query}`)
}

test("every filter works by its link and by its chip, and Back and Forward restore each step", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const scout = await api.agent({ name: "Scout" })
  await api.agent({ name: "Quill" })
  const { id } = await api.send(scout, { service: "echo", operation: "say" })
  const today = new Date((await api.call("GET", "/audit-logs?limit=1", 200)).data[0].created_at).toISOString().slice(
    0,
    10
  )
  const all = (await api.call("GET", "/audit-logs", 200)).data as ReadonlyArray<
    { readonly action: string; readonly actor: { readonly id: string } }
  >
  await signIn(page, hub, owner)
  const links: ReadonlyArray<readonly [query: string, count: number]> = [
    ["action=agent.created", 2],
    ["action=agent.*", all.filter(({ action }) => action.startsWith("agent.")).length],
    [`actor_id=${owner.id}`, all.filter(({ actor }) => actor.id === owner.id).length],
    [`agent_id=${scout.id}&action=service_request.*`, 1],
    [`subject_id=${id}`, 1],
    ["q=Quill", 1],
    [`from=${today}&to=${today}`, all.length]
  ]
  for (const [query, count] of links) {
    await page.goto(`/w/${owner.org}/audit?${query}`)
    await expect(rows(page), query).toHaveCount(count)
  }
  await page.goto(`/w/${owner.org}/audit?to=2020-01-01`)
  await expect(page.getByText("No entry matches these filters.")).toBeVisible()
  await expectAccessible(page)

  await page.goto(`/w/${owner.org}/audit`)
  await expect(rows(page)).toHaveCount(all.length)
  await chip(page, "Action").click()
  await page.getByRole("radio", { name: "Agents" }).click()
  await expect(page).toHaveURL(/action=agent\.\*/)
  await chip(page, "By").click()
  await page.getByRole("radio", { name: /^Ada/ }).click()
  await expect(page).toHaveURL(new RegExp(`actor_id=${owner.id}`))
  await chip(page, "Agent").click()
  await page.getByRole("radio", { name: "Quill", exact: true }).click()
  await expect(rows(page)).toHaveCount(1)
  await page.goBack()
  await expect(rows(page)).toHaveCount(2)
  await page.goForward()
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole("button", { name: "Clear filters" }).click()
  await chip(page, "About").click()
  await page.getByRole("textbox", { name: "The id of the subject" }).fill(id)
  await page.keyboard.press("Enter")
  await expect(rows(page)).toHaveCount(1)
  await page.getByRole("button", { name: "Clear filters" }).click()
  await chip(page, "Period").click()
  await page.getByLabel("Until").fill("2020-01-01")
  await page.getByRole("button", { name: "Apply" }).click()
  await expect(page).toHaveURL(/\?to=2020-01-01$/)
  await expect(page.getByText("No entry matches these filters.")).toBeVisible()
})

test("an entry shows what changed, and its fields give its hash", async ({ api, hub, owner, page }) => {
  const { id } = await api.agent({ name: "Scout" })
  const cookie = owner.cookie
  expect(
    (await hub.api("PATCH", `/agents/${id}`, {
      cookie,
      headers: { "svc-workspace": owner.org },
      body: { name: "Ranger" }
    })).status
  ).toBe(200)
  await open(page, hub, owner, "?action=agent.updated")
  await page.getByRole("grid").focus()
  await page.keyboard.press("Enter")
  const [{ seq }] = (await api.call("GET", "/audit-logs?action=agent.updated", 200)).data
  await expect(page).toHaveURL(new RegExp(`entry=${seq}$`))
  const shown = entry(page, seq)
  await expect(shown).toContainText("Changes")
  await expect(shown).toContainText("Scout")
  await expect(shown).toContainText("Ranger")
  await expect(shown.getByText("The fields match this hash.")).toBeVisible()
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: "dark" })
  await expectAccessible(page)
  await page.keyboard.press("Escape")
  await expect(shown).toHaveCount(0)

  await page.goto(`/w/${owner.org}/audit?entry=${seq}`)
  await expect(rows(page).filter({ hasText: "Agent changed" })).toHaveAttribute("aria-selected", "true")
  await page.keyboard.press("j")
  await expect(entry(page, seq - 1)).toBeVisible()
  await page.keyboard.press("k")
  await expect(shown).toBeVisible()
})

test("the chain is verified: intact, and broken after a change outside the hub", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const agent = await api.agent({ name: "Scout" })
  for (let count = 0; count < 3; count++) await api.send(agent, { service: "echo", operation: "say" })
  const [{ seq: length }] = (await api.call("GET", "/audit-logs?limit=1", 200)).data
  await open(page, hub, owner)
  await page.getByRole("button", { name: "Verify", exact: true }).click()
  const asking = page.getByRole("dialog", { name: "Verify the log" })
  await expectAccessible(page)
  await asking.getByRole("button", { name: "Verify now" }).click()
  await expect(asking.getByText(`The log is intact: all ${length} entries are unchanged.`)).toBeVisible()

  await hub.runSql(`update audit set cost_cents = 9 where org_id = '${owner.org}' and seq = ${length - 1}`)
  await asking.getByRole("button", { name: "Verify again" }).click()
  await expect(asking.getByText(`Entry ${length - 1} was altered.`)).toBeVisible()
  await expect(asking).toContainText(`The ${length - 2} entries before it are intact.`)
  await expectAccessible(page)
  await asking.getByRole("button", { name: "Open entry" }).click()
  await expect(page).toHaveURL(new RegExp(`entry=${length - 1}$`))
  await page.reload()
  await expect(entry(page, length - 1).getByText("The fields don't match this hash: the entry was altered."))
    .toBeVisible()
  await expectAccessible(page)
})

test("actions and outcomes are words in the list, with their codes in the entry", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const agent = await api.agent({ name: "Scout" })
  await api.send(agent, { service: "search", operation: "web", payload: { query: "not bound" } })
  await open(page, hub, owner)
  await expect(rows(page).filter({ hasText: "Request blocked" })).toContainText("Not allowed")
  await expect(rows(page).filter({ hasText: "Funds added" })).toHaveCount(1)
  await expect(rows(page).filter({ hasText: /[a-z]_[a-z]|[a-z]\.[a-z]/u }), "no codes in the list").toHaveCount(0)
  await rows(page).filter({ hasText: "Request blocked" }).click()
  const shown = page.getByRole("complementary", { name: /^Entry / })
  await expect(shown).toContainText("service_request.blocked")
  await expect(shown).toContainText("policy_violation")
})

test("the workspace's log is exported, whole or as filtered, and is verified without the hub", async ({ api, hub, owner, page }) => {
  await api.topUp(500)
  const agent = await api.agent({ name: "Scout" })
  await api.send(agent, { service: "echo", operation: "say" })
  const elsewhere = await hub.workspace("Elsewhere")
  await hub.join(owner, elsewhere)
  expect(
    (await hub.api("POST", "/workspaces/switch", { cookie: owner.cookie, body: { workspace_id: elsewhere } })).status
  ).toBe(200)
  await open(page, hub, owner)
  const save = async (name: RegExp) => {
    await page.getByRole("button", { name: "Export" }).click()
    const loading = page.waitForEvent("download")
    await page.getByRole("menuitem", { name }).click()
    const file = await loading
    return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") }
  }
  const jsonl = await save(/JSON Lines/)
  expect(jsonl.name).toBe(`audit-${owner.org}.jsonl`)
  const lines = jsonl.text.trim().split("\n")
  const checked = await verifyAuditLines(lines, (bytes) => createHash("sha256").update(bytes).digest())
  expect(checked).toMatchObject({ ok: true, checked: lines.length })
  await page.goto(`/w/${owner.org}/audit?action=agent.created`)
  const csv = await save(/CSV/)
  expect(csv.name).toBe(`audit-${owner.org}.csv`)
  expect(csv.text.trim().split("\r\n")).toHaveLength(2)
})

test("a long log holds at most 400 rows and draws at most 80, and each row is in place on the way back", async ({ api, hub, owner, page }) => {
  await api.agent({ name: "Scout" })
  await hub.runSql(`
    insert into audit (org_id, seq, id, action, actor_type, actor_id, actor_name, data, created_at, prev_hash, hash)
      select h.org_id, h.seq + n, 'aud_' || lpad(to_hex(n), 26, '0'), 'test.step', 'hub', 'hub', 'Hub', '{}', h.last_at, sha256(int4send(n)), sha256(int4send(n + 1))
        from org_heads h, generate_series(1, 2000) n where h.org_id = '${owner.org}'`)
  await hub.runSql(`update org_heads set seq = seq + 2000 where org_id = '${owner.org}'`)
  const [{ seq: length }] = (await api.call("GET", "/audit-logs?limit=1", 200)).data
  await open(page, hub, owner)
  const grid = page.getByRole("grid")
  const figure = (seq: number) => seq.toLocaleString("en-US")
  const numbered = (seq: number) => rows(page).filter({ hasText: new RegExp(`^${figure(seq)}`) })
  await expect(rows(page).first()).toContainText(figure(length))
  /** Scrolls until the entry with this number is drawn, and back if a page that came late moved it out of view. */
  const reach = (seq: number, by: number) =>
    expect(async () => {
      const isPast = Number(await rows(page).first().getAttribute("aria-rowindex")) > length - seq + 2
      await grid.evaluate((element, by) => element.scrollBy(0, by), isPast ? -by / 3 : by)
      await expect(numbered(seq)).toBeVisible({ timeout: 500 })
    }).toPass({ timeout: 150_000, intervals: [20] })
  await reach(length - 900, 1_500)
  expect(await grid.getByRole("row").count()).toBeLessThanOrEqual(81)
  await grid.evaluate((element) => element.scrollTo(0, 0))
  await expect(rows(page).first()).toContainText(figure(length))
  await expect(rows(page).nth(5)).toHaveAttribute("aria-rowindex", "7")
  await reach(length - 1_200, 1_500)
  await expect(numbered(length - 1_200)).toHaveAttribute("aria-rowindex", "1202")
})

test("a person without access sees the required permission, and a phone shows one pane at a time", async ({ api, hub, owner, page, pageOf }) => {
  await api.topUp(500)
  const member = await hub.person({ name: "Max", org: owner.org, role: "member" })
  const theirs = await pageOf(member)
  await theirs.goto(`/w/${owner.org}/audit`)
  await expect(theirs.getByText(/You need the permission audit:read here\./)).toBeVisible()
  await expectAccessible(theirs)

  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, hub, owner)
  await expect(rows(page).first()).toBeVisible()
  const isCut = () => page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
  expect(await isCut()).toBe(false)
  await expectAccessible(page)
  await rows(page).filter({ hasText: "Funds added" }).click()
  await expect(page.getByText("The fields match this hash.")).toBeVisible()
  await expect(page.getByRole("grid")).toHaveCount(0)
  expect(await isCut()).toBe(false)
  await page.getByRole("button", { name: "Close" }).click()
  await expect(rows(page).first()).toBeVisible()
})
