/** Chat: streamed answers, calls with their approvals, branches, stops, pauses, and several chats at once. */
import type { Page } from "@playwright/test"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { expect, type PersonApi, signIn, test } from "../../support/console.ts"

/** Axe in every look takes long on a shared machine. */
const dialog = (page: Page) => page.getByRole("dialog")
const thread = (page: Page) => page.getByRole("region", { name: "Messages" })
const answer = (page: Page) => thread(page).locator("[data-role=assistant]").last()
const field = (page: Page) => page.getByRole("textbox", { name: "Message" })
const list = (page: Page) => page.getByRole("list", { name: "Chats, newest first" })

const script = (...lines: ReadonlyArray<string>): string => ["#script", ...lines].join("\n")

const say = async (page: Page, text: string): Promise<void> => {
  await field(page).fill(text)
  await field(page).press("Enter")
}

/** Leaves the field by key. During an answer Escape would stop it, so its end is awaited, not only its text. */
const leaveField = async (page: Page): Promise<void> => {
  await expect(page.getByRole("button", { name: "Send" })).toBeVisible()
  await field(page).press("Escape")
  await expect(field(page)).not.toBeFocused()
}

const llm = { service: "llm", operations: ["chat"] }

const open = async (api: PersonApi, input: object = {}): Promise<string> => {
  const { id } = await api.call("POST", "/chat/sessions", 201, { model: "offline/echo", ...input })
  return id
}

test("a chat is started by a person, and its answers stream as Markdown that builds no HTML and loads nothing", async ({ hub, owner, page }) => {
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/chat`)
  await expect(page.getByText(/^A chat is a conversation with one of your agents/u)).toBeVisible()
  await page.getByRole("button", { name: "New chat" }).click()
  await expectNoBreaches(page, ["light"])
  await dialog(page).getByRole("button", { name: "Model: Default of the hub" }).click()
  await page.getByRole("textbox", { name: "Search models" }).fill("offline")
  const models = page.getByRole("list", { name: "Models, favorites first" })
  await expect(models.getByRole("listitem").first()).toContainText("context")
  await models.getByRole("button", { name: "Add offline/echo-priced to favorites" }).click()
  await expect(models.getByRole("listitem").first()).toContainText("offline/echo-priced")
  await expectNoBreaches(page, ["light"])
  const search = page.getByRole("textbox", { name: "Search models" })
  await search.fill("")
  await expect(page.getByText(/^\d{3} more models match$/u)).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
  await expectNoBreaches(page, ["dark"])
  await page.setViewportSize({ width: 1280, height: 720 })
  // By keyboard: down into the list and back, and Enter in the search takes the first model.
  await search.fill("offline")
  await search.press("ArrowDown")
  await expect(models.getByRole("button", { name: /^offline\/echo-priced/u })).toBeFocused()
  await page.keyboard.press("ArrowDown")
  await expect(models.getByRole("button", { name: /^offline\/echo\s?No charge/u })).toBeFocused()
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("ArrowUp")
  await expect(search).toBeFocused()
  await search.fill("echo priced")
  await search.press("Enter")
  await expect(dialog(page).getByRole("button", { name: "Model: offline/echo-priced" })).toBeVisible()
  await dialog(page).getByRole("button", { name: "Model: offline/echo-priced" }).click()
  await search.fill("offline")
  await models.getByRole("button", { name: /^offline\/echo\s?No charge/u }).click()
  // Escape closes the list, not the dialog.
  await dialog(page).getByRole("button", { name: "Model: offline/echo" }).click()
  await expect(search).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(models).toHaveCount(0)
  await dialog(page).getByRole("button", { name: "Start chat" }).click()
  await expect(page).toHaveURL(/\/chat\/cht_/u)
  await expect(field(page)).toBeFocused()

  await say(
    page,
    script(
      ...Array.from({ length: 60 }, (_, at) => `say Line ${at}\nsay `),
      "think Two sources agree.",
      "say The price is **$42** for `desk`.",
      "say <img src=https://tracker.example/x.png onerror=alert(1)>",
      "say ![a picture](https://tracker.example/y.png)",
      "say [a link](javascript:alert(1)) and [another](https://example.com/docs)",
      "usage 1200 34 200"
    )
  )
  await expect(thread(page).locator("strong")).toHaveText("$42")
  await expect(answer(page)).toContainText("<img src=https://tracker.example/x.png onerror=alert(1)>")
  await expect(thread(page).locator("img")).toHaveCount(0)
  await expect(thread(page).getByRole("link", { name: "a picture" })).toHaveAttribute(
    "href",
    "https://tracker.example/y.png"
  )
  await expect(thread(page).getByRole("link", { name: "a link" })).toHaveCount(0)
  await expect(thread(page).getByRole("link", { name: "another" })).toHaveAttribute("rel", /noreferrer/u)
  await expect(answer(page).getByText("Two sources agree.")).toBeHidden()
  await thread(page).locator("summary", { hasText: "Thinking" }).click()
  await expect(answer(page).getByText("Two sources agree.")).toBeVisible()
  await thread(page).locator("summary", { hasText: "Tokens" }).click()
  await expect(thread(page)).toContainText("1,200 tokens in, of which 200 cached, 34 out")
  await expectNoBreaches(page)
  await expectNothingSideways(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
  await expectNoBreaches(page, ["light"])
  // A long thread scrolls by itself: the page around it does not.
  expect(await page.locator("main").evaluate((main) => main.scrollHeight - main.clientHeight)).toBe(0)
  await field(page).fill("Half a thought")
  await page.reload()
  await expect(thread(page).locator("strong")).toHaveText("$42")
  await expect(field(page)).toHaveValue("Half a thought")
})

test("an answer is read aloud in its agent's voice, and stops on request", async ({ api, hub, owner, page }) => {
  const agent = await api.agent({ name: "Reader", bindings: [llm] })
  await api.call("PATCH", `/agents/${agent.id}`, 200, { voiceConfig: { voice: "rms", speed: 1.5 } })
  const id = await open(api, { agent_id: agent.id })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/chat/${id}`)
  await say(page, script(`say ${"Two paper boats cross the pond. ".repeat(20)}`))
  const spoken: Array<unknown> = []
  page.on("request", (request) => {
    if (request.url().endsWith("/tts") && request.method() === "POST") spoken.push(request.postDataJSON())
  })
  await answer(page).getByRole("button", { name: "Read aloud" }).click()
  await expect(answer(page).getByText("Reading aloud")).toBeAttached()
  // The first part plays while the second one is fetched.
  await expect.poll(() => spoken.length).toBe(2)
  expect(spoken[0]).toMatchObject({ voice: "rms", speed: 1.5 })
  await answer(page).getByRole("button", { name: "Stop reading" }).click()
  await expect(answer(page).getByRole("button", { name: "Read aloud" })).toBeVisible()
})

test("a call that requires approval is decided in its place, and the answer continues without a reload", async ({ api, hub, owner, page, upstream }) => {
  await api.topUp(20_000)
  const shop = await api.service(await upstream(), { cents: 4_200 })
  const agent = await api.agent({ name: "Buyer", bindings: [llm, { service: shop, operations: ["*"] }] })
  const id = await open(api, { agent_id: agent.id })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/chat/${id}`)
  const buy = script(`call ${shop}.buy {"item":"Desk","quantity":1}`, "---", "say The desk is ordered.")
  await say(page, buy)
  const card = thread(page).getByRole("group", { name: `Call of ${shop}.buy` })
  await expect(card).toContainText("at most $42.00")
  await expect(card).toContainText("$158.00 left after this")
  await expect(list(page)).toContainText("Pending approval")
  await expectNoBreaches(page)
  await card.getByRole("button", { name: "Approve $42.00" }).click()
  await expect(thread(page)).toBeFocused()
  await expect(answer(page)).toContainText("The desk is ordered.")
  await expect(card).toContainText("Executed")
  await card.locator("summary", { hasText: "Result" }).click()
  await expect(card.getByRole("group", { name: "Result" })).toContainText("ord_1")
  await expect(page.getByText("Spent here")).toBeVisible()
  await expect(page.getByLabel("About this chat")).toContainText("$42.00")
  await expect(card.getByRole("link", { name: "Request" })).toHaveAttribute("href", /\/requests\/req_/u)

  await say(page, buy)
  const second = thread(page).getByRole("group", { name: `Call of ${shop}.buy` }).nth(1)
  await second.getByRole("textbox", { name: "Comment" }).fill("Too dear.")
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNothingSideways(page)
  await second.getByRole("button", { name: "Reject" }).click()
  await expect(second).toContainText("Blocked")
  await expect(second).toContainText("Rejected")
})

test("a person without the right to decide sees the approvers", async ({ api, hub, owner, page, upstream }) => {
  await api.topUp(20_000)
  const shop = await api.service(await upstream(), { cents: 4_200 })
  const agent = await api.agent({ bindings: [llm, { service: shop, operations: ["*"] }] })
  const id = await open(api, { agent_id: agent.id })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/chat/${id}`)
  await say(page, script(`call ${shop}.buy {"item":"Desk"}`))
  await expect(thread(page).getByRole("button", { name: "Approve $42.00" })).toBeVisible()
  const viewer = await hub.person({ org: owner.org, role: "viewer", name: "Vera" })
  await signIn(page, hub, viewer)
  await page.reload()
  await expect(thread(page)).toContainText("Can decide: Ada.")
  await expect(thread(page).getByRole("button", { name: "Approve $42.00" })).toHaveCount(0)
  await expect(page.getByText("Your role here can't write in chats.")).toBeVisible()
})

test("messages are edited and answered again in branches, by key as well", async ({ api, hub, owner, page }) => {
  const id = await open(api)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/chat/${id}`)
  await say(page, "First words")
  await expect(thread(page)).toContainText("You said: First words")
  await leaveField(page)
  await page.keyboard.press("e")
  await expect(field(page)).toBeFocused()
  await expect(field(page)).toHaveValue("First words")
  await say(page, "Other words")
  await expect(thread(page)).toContainText("You said: Other words")
  await expect(thread(page)).not.toContainText("First words")
  await expect(thread(page)).toContainText("Branch 2 of 2")
  await leaveField(page)
  await page.keyboard.press("[")
  await expect(thread(page)).toContainText("You said: First words")
  await page.keyboard.press("]")
  await expect(thread(page)).toContainText("You said: Other words")
  await page.keyboard.press("r")
  await expect(thread(page).getByText("Branch 2 of 2")).toHaveCount(2)
  await expect(thread(page)).toContainText("You said: Other words")
  await expectNoBreaches(page, ["light"])
})

test("an answer continues after a reload and beside another chat, and is stopped", async ({ api, hub, owner, page }) => {
  const [slow, other] = [await open(api, { title: "Slow" }), await open(api, { title: "Other" })]
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/chat/${slow}`)
  await say(page, script("say Beginning.", "wait 60000", "wait 60000", "wait 60000", "say Never."))
  await expect(answer(page)).toContainText("Beginning.")
  await page.reload()
  await expect(answer(page)).toContainText("Beginning.")
  await list(page).getByRole("link", { name: /Other/u }).click()
  await expect(page).toHaveURL(new RegExp(other, "u"))
  await say(page, "Meanwhile")
  await expect(thread(page)).toContainText("You said: Meanwhile")
  await expect(list(page).getByRole("link", { name: /Slow/u })).toContainText("Answering")
  await page.getByRole("textbox", { name: "Search chats by title" }).fill("slo")
  await expect(list(page).getByRole("link")).toHaveCount(1)
  await list(page).getByRole("link", { name: /Slow/u }).click()
  await page.getByRole("button", { name: "Stop", exact: true }).click()
  await expect(thread(page)).toContainText("Stopped. What was written until then is kept.")
  await expect(page.getByRole("button", { name: "Send" })).toBeVisible()
  await expect(answer(page)).not.toContainText("Never.")
})

test("a model call over the limit pauses the answer, says what unblocks it, and continues", async ({ api, hub, owner, page }) => {
  await api.topUp(1_000)
  const agent = await api.agent({ name: "Poor", monthly_budget_cents: 0, bindings: [llm] })
  const id = await open(api, { agent_id: agent.id, model: "offline/echo-priced" })
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/chat/${id}`)
  await say(page, "Hello")
  await expect(thread(page)).toContainText("The next call of the model was blocked")
  await expect(thread(page).getByRole("link", { name: "Open the agent's limits" })).toBeVisible()
  await expectNoBreaches(page)
  await api.call("PATCH", `/agents/${agent.id}/budget`, 200, { monthly_budget_cents: 500 })
  await thread(page).getByRole("button", { name: "Continue" }).click()
  await expect(thread(page)).toContainText("You said: Hello")
  await expect(thread(page)).toContainText("< $0.01")
})

test("a failed answer shows its error after a reload as well, and can be made again", async ({ api, hub, owner, page }) => {
  const id = await open(api)
  await signIn(page, hub, owner)
  await page.goto(`/w/${owner.org}/chat/${id}`)
  await say(page, script("fail 401"))
  const again = thread(page).getByRole("button", { name: "Answer again" })
  await expect(again.first()).toBeVisible()
  await page.reload()
  await expect(again.first()).toBeVisible()
  await expectNoBreaches(page, ["light", "dark"])
})
