/** Devices with the real agent: paired by a code, granted some tools, used, watched, stopped, and revoked. */
import type { Page } from "@playwright/test"
import { heartbeat, register, test } from "../../support/console-devices.ts"
import { expectNoBreaches, expectNothingSideways } from "../../support/console-looks.ts"
import { apiFor, expect, type Person, signIn } from "../../support/console.ts"

test.describe.configure({ timeout: 150_000 })

const everyLook = ["light", "dark", "high contrast, light", "high contrast, dark"] as const
const fleet = (person: Person, search = "") => `/w/${person.org}/devices${search}`
const detail = (person: Person, { id }: { readonly id: string }) => `/w/${person.org}/devices/${id}`
const row = (page: Page, name: string) => page.getByRole("grid").getByRole("row").filter({ hasText: name })
const dialog = (page: Page) => page.getByRole("dialog").or(page.getByRole("alertdialog"))
const output = (page: Page) => page.getByRole("log", { name: "Output of the command" })
const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { level: 1, name })

/** Runs one program from the form on the device's page; returns on the command's own page. */
const queue = async (page: Page, program: string, words: ReadonlyArray<string> = []): Promise<void> => {
  await page.getByRole("link", { name: "Queue a command" }).click()
  await expect(heading(page, "Queue a command")).toBeVisible()
  await page.getByLabel("Tool").selectOption("shell.run")
  await page.getByLabel("Program", { exact: true }).fill(program)
  for (const [at, word] of words.entries()) {
    await page.getByRole("button", { name: "Add an argument" }).click()
    await page.getByLabel(`Argument ${at + 1}`, { exact: true }).fill(word)
  }
  await page.getByRole("button", { name: "Queue command" }).click()
  await expect(page).toHaveURL(/\/commands\/cmd_/u)
}

test.describe("the fleet", () => {
  test("without a device shows the five lines that connect one, with this hub's address", async ({ hub, owner, page }) => {
    await signIn(page, hub, owner)
    await page.goto(fleet(owner))
    await expect(page.getByText("No devices are connected to this workspace yet.")).toBeVisible()
    const lines = page.getByRole("region", { name: "Five lines that connect a machine" })
    await expect(lines).toContainText(`npm run device -- pair --hub ${hub.url} --name build-1 --root /srv/work`)
    await expect(lines).toContainText("npm run device -- run")
    await expectNoBreaches(page, everyLook)
    await page.keyboard.press("g")
    await page.keyboard.press("i")
    await expect(heading(page, "Inbox")).toBeVisible()
    await page.keyboard.press("g")
    await page.keyboard.press("d")
    await expect(heading(page, "Devices")).toBeVisible()
    await page.getByRole("main").or(page.locator("header")).getByRole("link", { name: "Pair a device" }).click()
    await expect(page).toHaveURL(/\/devices\/pair$/u)
  })

  test("shows each device's presence and grants in words, is searched and filtered by a link", async ({ api, hub, owner, page }) => {
    const online = await register(api, { name: "build-1", labels: ["gpu"] })
    await heartbeat(hub, online, { load: { busy: 1.25, processors: 8 } })
    const late = await register(api, { name: "late-1", capabilities: ["fs.read"] })
    await heartbeat(hub, late, { capabilities: ["fs.read", "fs.list"] })
    await hub.runSql(`update devices set heard_at = clock_timestamp() - interval '25 seconds' where id = '${late.id}'`)
    const away = await register(api, { name: "away-1", agents: "*" })
    await heartbeat(hub, away)
    await hub.runSql(`update devices set heard_at = clock_timestamp() - interval '2 hours' where id = '${away.id}'`)
    await register(api, { name: "new-1", granted: [] })
    const paused = await register(api, { name: "paused-1" })
    await api.call("PATCH", `/devices/${paused.id}`, 200, { state: "paused" })
    const gone = await register(api, { name: "gone-1" })
    await api.call("PATCH", `/devices/${gone.id}`, 200, { state: "revoked" })
    await signIn(page, hub, owner)
    await page.goto(fleet(owner))
    await expect(row(page, "build-1")).toContainText(/online, seen/u)
    await expect(row(page, "build-1")).toContainText("all 7 tools")
    await expect(row(page, "build-1")).toContainText("1.3 of 8")
    await expect(row(page, "build-1")).toContainText("0 of 4")
    await expect(row(page, "late-1")).toContainText(/late, last seen/u)
    await expect(row(page, "late-1")).toContainText("fs.read")
    await expect(row(page, "late-1")).toContainText("Requests more tools")
    await expect(row(page, "away-1")).toContainText(/offline, last seen/u)
    await expect(row(page, "new-1")).toContainText("Never seen")
    await expect(row(page, "new-1")).toContainText("Pending")
    await expect(row(page, "paused-1")).toContainText("Paused here")
    await expect(row(page, "gone-1")).toHaveCount(0)
    await expectNoBreaches(page, everyLook)
    await page.getByLabel("Search by name, label or id").fill("gpu")
    await expect(row(page, "away-1")).toHaveCount(0)
    await expect(page).toHaveURL(/\?q=gpu$/u)
    await page.goto(fleet(owner, "?state=revoked"))
    await expect(row(page, "gone-1")).toContainText("Revoked")
    await page.goto(fleet(owner, "?state=draining"))
    await expect(page.getByText("No device matches these filters.")).toBeVisible()
    await page.getByRole("main").getByRole("button", { name: "Clear filters" }).click()
    await page.getByRole("grid").focus()
    await page.keyboard.press("Enter")
    await expect(heading(page, /-1$/u)).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(heading(page, "Devices")).toBeVisible()
  })

  test("shows a new device at once, and after its agent is killed first late, then offline", async ({ hub, machine, owner, page }) => {
    const build = await machine()
    await signIn(page, hub, owner)
    await page.goto(fleet(owner))
    await expect(row(page, "build-1")).toContainText(/online, seen/u)
    build.agent.child.kill("SIGKILL")
    // Only the hub's time advances.
    await hub.runSql(`update devices set heard_at = heard_at - interval '25 seconds' where id = '${build.id}'`)
    await expect(row(page, "build-1")).toContainText(/late, last seen/u)
    await hub.runSql(`update devices set heard_at = heard_at - interval '60 seconds' where id = '${build.id}'`)
    await expect(row(page, "build-1")).toContainText(/offline, last seen/u)
  })

  test("is readable for a viewer, without any action", async ({ api, hub, owner, pageOf }) => {
    const device = await register(api)
    await heartbeat(hub, device)
    const page = await pageOf(await hub.person({ org: owner.org, role: "viewer", name: "Vera" }))
    await page.goto(fleet(owner))
    await expect(row(page, "build-1")).toBeVisible()
    await expect(page.getByRole("link", { name: "Pair a device" })).toHaveCount(0)
    await page.goto(detail(owner, device))
    await expect(page.getByText("This requires the permission devices:write")).toBeVisible()
    for (const name of ["Revoke", "Pause", "Edit", "Change", "Queue a command"]) {
      await expect(page.getByRole("button", { name }).or(page.getByRole("link", { name }))).toHaveCount(0)
    }
    await page.goto(`${fleet(owner)}/pair`)
    await expect(page.getByText("Pairing requires the permission devices:write.")).toBeVisible()
    await page.goto(`${detail(owner, device)}/queue`)
    await expect(page.getByText("Queueing requires the permission devices:write.")).toBeVisible()
  })
})

test.describe("pairing", () => {
  test("by the code that the agent prints grants some tools; a program then runs with live output", async ({ asking, hub, owner, page }) => {
    const build = await asking("build-7")
    await signIn(page, hub, owner)
    await page.goto(`${fleet(owner)}/pair`)
    await expect(heading(page, "Pair a device")).toBeVisible()
    await expectNoBreaches(page)
    await page.getByLabel("Code").fill(build.code.replace("-", "").toLowerCase())
    await page.getByRole("button", { name: "Find device" }).click()
    await expect(page).toHaveURL(new RegExp(`/devices/pair/${build.code}$`, "u"))
    await expect(page.getByText("Does the machine show this code?")).toBeVisible()
    await expect(page.getByText("127.0.0.1")).toBeVisible()
    await page.getByRole("button", { name: "Confirm and grant" }).click()
    await expect(page.getByText("Select at least one tool.")).toBeVisible()
    await page.getByRole("checkbox", { name: "shell.run" }).check()
    await page.getByRole("checkbox", { name: "system.info" }).check()
    await expectNoBreaches(page)
    await page.getByRole("button", { name: "Confirm and grant" }).click()
    await expect(heading(page, "build-7")).toBeVisible()
    await expect(page.getByText("never seen", { exact: false }).first()).toBeVisible()
    await expect.poll(() => build.agent.child.exitCode).toBe(0)
    const steps = `${build.root}/steps`
    const script = build.script(
      "count",
      `for word in one two three; do echo $word; while [ ! -e ${steps}-$word ]; do sleep 0.05; done; done; echo careful >&2; printf '\\033[32mgreen\\033[0m\\n'`
    )
    build.rules([{ effect: "allow", tool: "shell.run", argv: [script] }], { sandbox: "off" })
    build.run()
    await expect(page.getByText(/online, seen/u).first()).toBeVisible()
    await queue(page, script)
    for (const word of ["one", "two", "three"]) {
      await expect(output(page)).toContainText(word)
      await expect(page.getByText("Running", { exact: true }).first()).toBeVisible()
      build.script(`steps-${word}`, "true")
    }
    await expect(page.getByText("Succeeded.")).toBeVisible()
    await expect(output(page).locator("[data-stream=stderr]")).toContainText("careful")
    await expect(output(page).getByText("green", { exact: true })).toHaveClass(/green/u)
    await expect(page.getByText("Complete")).toBeVisible()
    await expectNoBreaches(page, everyLook)
    await page.keyboard.press("Escape")
    await expect(row(page, "count")).toContainText("Succeeded")
    await expect(row(page, "count")).toContainText("Ada")
    await expectNoBreaches(page)
  })

  test("explains a wrong code, a used one, too many wrong ones, and a rejected one", async ({ asking, hub, owner, page }) => {
    const build = await asking()
    await signIn(page, hub, owner)
    await page.goto(`${fleet(owner)}/pair/0000-0000`)
    await expect(page.getByText("No device has this code.")).toBeVisible()
    await expectNoBreaches(page)
    await page.getByLabel("Code").fill("123")
    await page.getByRole("button", { name: "Find device" }).click()
    await expect(page.getByText("A code has eight letters and digits.")).toBeVisible()
    await page.getByLabel("Code").fill(build.code)
    await page.getByRole("button", { name: "Find device" }).click()
    await page.getByRole("button", { name: "Reject" }).click()
    await expect(dialog(page)).toContainText("The machine receives no key")
    await expectNoBreaches(page)
    await dialog(page).getByRole("button", { name: "Reject" }).click()
    await expect(heading(page, "Devices")).toBeVisible()
    await expect.poll(() => build.agent.child.exitCode).toBe(1)
    expect(build.agent.printed()).toContain("An operator rejected this device.")
    await page.goto(`${fleet(owner)}/pair/${build.code}`)
    await expect(page.getByText("This code was used or has expired.")).toBeVisible()
    const credential = { cookie: owner.cookie, headers: { "svc-workspace": owner.org } }
    const ask = async () => (await hub.api("GET", "/devices/pair/00000000", credential)).status
    await expect.poll(ask, { intervals: [0] }).toBe(429)
    await page.goto(`${fleet(owner)}/pair/1111-1111`)
    // The limit allows a code every few seconds, so that the page's first one may be answered.
    await expect(async () => {
      await page.getByRole("button", { name: "Find device" }).click()
      await expect(page.getByText("Too many wrong codes.")).toBeVisible({ timeout: 1_000 })
    }).toPass()
  })

  test("does not let an operator grant programs, and explains why", async ({ api, hub, owner, pageOf }) => {
    const device = await register(api, { capabilities: ["fs.read"] })
    await heartbeat(hub, device, { capabilities: ["fs.read", "fs.list", "shell.run"] })
    const page = await pageOf(await hub.person({ org: owner.org, role: "operator", name: "Otto" }))
    await page.goto(detail(owner, device))
    await expect(page.getByText("It requests more tools than it was granted")).toBeVisible()
    await page.getByRole("button", { name: "Review" }).click()
    await expect(dialog(page).getByRole("checkbox", { name: "shell.run" })).toBeDisabled()
    await expect(dialog(page)).toContainText("devices:grant_shell")
    await dialog(page).getByRole("checkbox", { name: "fs.list" }).check()
    await expectNoBreaches(page)
    await dialog(page).getByRole("button", { name: "Save grants" }).click()
    await expect(page.getByText("Grants changed")).toBeVisible()
    expect((await api.call("GET", `/devices/${device.id}`, 200)).granted).toEqual(["fs.read", "fs.list"])
    await expect(
      page.getByText("It requests more tools than it was granted"),
      "what was left out on purpose is not asked for again"
    ).toHaveCount(0)
  })
})

test.describe("a command", () => {
  test("that runs is canceled: the program ends and both sides report it", async ({ hub, machine, owner, page }) => {
    const build = await machine()
    const script = build.script("long", "echo started; trap 'echo stopping; exit 0' INT; while :; do sleep 0.1; done")
    build.rules([{ effect: "allow", tool: "shell.run", argv: [script] }], { sandbox: "off" })
    await signIn(page, hub, owner)
    await page.goto(detail(owner, build))
    await queue(page, script)
    await expect(output(page)).toContainText("started")
    await page.getByRole("button", { name: "Cancel", exact: true }).click()
    await expect(dialog(page)).toContainText("kills it with every process that it started")
    await expectNoBreaches(page)
    await dialog(page).getByRole("button", { name: "Cancel command" }).click()
    await expect(page.getByText(/^Canceled\.|Succeeded before the cancellation reached it\./u)).toBeVisible()
    await expect(page.getByRole("button", { name: "Cancel", exact: true })).toHaveCount(0)
  })

  test("that a rule of the device forbids is denied with the reason, and so is one without a rule", async ({ hub, machine, owner, page }) => {
    const build = await machine()
    build.rules([{ effect: "deny", tool: "shell.run", argv: ["rm", "**"], note: "never" }])
    await signIn(page, hub, owner)
    await page.goto(detail(owner, build))
    await page.getByRole("link", { name: "Queue a command" }).click()
    await expect(page.getByText("If no rule matches and the owner set ask_via hub", { exact: false }))
      .toBeVisible()
    await page.getByRole("button", { name: "Paste a command line" }).click()
    await page.getByLabel("A command line").fill("rm -rf 'a b' | cat")
    await expect(page.getByText("Pipes don't work here: no shell interprets the arguments.")).toBeVisible()
    await expectNoBreaches(page)
    await page.getByRole("button", { name: "Split into arguments" }).click()
    await expect(page.getByLabel("Argument 2", { exact: true })).toHaveValue("a b")
    await expect(page.getByRole("list", { name: "Program and arguments, one per line" })).toContainText("a b")
    await page.getByLabel("Reason").fill("Make room")
    await expectNoBreaches(page)
    await page.getByRole("button", { name: "Queue command" }).click()
    await expect(page.getByText("The device denied it. A rule of the device's owner forbids it.")).toBeVisible()
    await expect(page.getByText("No output.")).toBeVisible()
    await expect(page.getByText("Make room")).toBeVisible()
    await expectNoBreaches(page)
    await page.getByRole("link", { name: "Queue again" }).click()
    await expect(page.getByLabel("Argument 3", { exact: true })).toHaveValue("|")
    await page.getByLabel("Program", { exact: true }).fill("uptime")
    await page.getByRole("button", { name: "Queue command" }).click()
    await expect(page.getByText("No rule of the device allows it, and its rules name no approver.")).toBeVisible()
  })

  test("is open while its device is revoked: the command is interrupted, and the agent ends", async ({ hub, machine, owner, page }) => {
    const build = await machine()
    const script = build.script("long", "echo started; while :; do sleep 0.1; done")
    build.rules([{ effect: "allow", tool: "shell.run", argv: [script] }], { sandbox: "off" })
    await signIn(page, hub, owner)
    await page.goto(detail(owner, build))
    await queue(page, script)
    await expect(output(page)).toContainText("started")
    const command = page.url()
    await page.keyboard.press("Escape")
    await page.getByRole("button", { name: "Revoke" }).click()
    await expect(dialog(page)).toContainText("1 command is running and will be interrupted.")
    await expect(dialog(page).getByRole("button", { name: "Revoke" })).toBeDisabled()
    await dialog(page).getByLabel("Type build-1 to confirm").fill("build-1")
    await expectNoBreaches(page)
    await dialog(page).getByRole("button", { name: "Revoke" }).click()
    await expect(page.getByText("build-1 is revoked permanently.", { exact: false })).toBeVisible()
    await expect.poll(() => build.agent.child.exitCode).toBe(77)
    await page.goto(command)
    await expect(page.getByText("Interrupted before it ended.", { exact: false })).toBeVisible()
    await expect(page.getByText("The device was revoked.").first()).toBeVisible()
    await expect(output(page)).toContainText("started")
  })

  test("is not offered for a device without grants; a grant makes the device active", async ({ api, hub, owner, page }) => {
    const device = await register(api, { granted: [] })
    await heartbeat(hub, device)
    await signIn(page, hub, owner)
    await page.goto(detail(owner, device))
    await expect(page.getByText("build-1 can't run commands yet: grant a tool.")).toBeVisible()
    await expect(page.getByRole("link", { name: "Queue a command" })).toHaveCount(0)
    await page.goto(`${detail(owner, device)}/queue`)
    await expect(page.getByText("This device has no grants.")).toBeVisible()
    await page.goto(detail(owner, device))
    await expect(page.getByRole("button", { name: "Grant tools" })).toBeVisible()
    await expectNoBreaches(page)
    await page.getByRole("button", { name: "Grant tools" }).click()
    await dialog(page).getByRole("checkbox", { name: "fs.read" }).check()
    await dialog(page).getByRole("radio", { name: "All, including later ones" }).check()
    await dialog(page).getByRole("button", { name: "Save grants" }).click()
    await expect(page.getByText("Active", { exact: true }).first()).toBeVisible()
    await expect(page.getByText("All agents", { exact: true })).toBeVisible()
    await expect(page.getByRole("link", { name: "Queue a command" })).toBeVisible()
  })

  test("without any report is shown as lost, with the last known activity of its device", async ({ api, hub, owner, page }) => {
    const device = await register(api)
    const session = await heartbeat(hub, device)
    const asked = await api.call("POST", `/devices/sessions/${session}/commands`, 201, {
      tool: "shell.run",
      input: { argv: ["make", "all"] }
    })
    const as = (method: string, path: string, body?: unknown) =>
      hub.api(method, path, { key: device.key, ...(body === undefined ? {} : { body }) })
    const leased = (await as("GET", `/devices/sessions/${session}/commands`)).body.data[0]
    await as("POST", `/devices/commands/${asked.id}/ack`, { lease: leased.lease.number })
    await as("POST", `/devices/commands/${asked.id}/state`, { lease: leased.lease.number, state: "running" })
    await hub.runSql(
      `update device_commands set lease_until = clock_timestamp() - interval '10 seconds' where id = '${asked.id}'`
    )
    await hub.runSql(`update devices set heard_at = clock_timestamp() - interval '2 minutes' where id = '${device.id}'`)
    await signIn(page, hub, owner)
    await page.goto(detail(owner, device))
    await expect(page.getByText("It last reported the command below, and hasn't reported since."))
      .toBeVisible()
    await expectNoBreaches(page)
    await page.getByRole("link", { name: "make all" }).first().click()
    await expect(page.getByText("The device hasn't reported since the lease ended.", { exact: false }))
      .toBeVisible()
    await hub.runSql(
      `update device_commands set lease_until = clock_timestamp() - interval '10 minutes' where id = '${asked.id}'`
    )
    await expect(page.getByText("The device didn't report for five minutes after the lease ended.").first())
      .toBeVisible()
    await as("POST", `/devices/commands/${asked.id}/done`, {
      lease: leased.lease.number,
      outcome: "succeeded",
      exit_code: 0
    })
    await page.reload()
    await expect(page.getByRole("heading", { name: "Late result" })).toBeVisible()
    await expectNoBreaches(page)
  })

  test("with much output shows it from end to end: gaps, colors, hidden text, and the end is followed until a scroll up", async ({ context, api, hub, owner, page }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    const device = await register(api)
    const session = await heartbeat(hub, device)
    const asked = await api.call("POST", `/devices/sessions/${session}/commands`, 201, {
      tool: "shell.run",
      input: { argv: ["make", "all"] }
    })
    const as = async (method: string, path: string, body?: unknown) => {
      const answer = await hub.api(method, path, { key: device.key, ...(body === undefined ? {} : { body }) })
      expect(answer.status).toBe(200)
      return answer.body
    }
    const lease = (await as("GET", `/devices/sessions/${session}/commands`)).data[0].lease.number
    const report = (path: string, body: object) =>
      as("POST", `/devices/commands/${asked.id}/${path}`, { lease, ...body })
    await report("ack", {})
    await report("state", { state: "running" })
    let seq = 0
    const print = (data: string, more: object = {}) => report("output", { seq: seq++, stream: "stdout", data, ...more })
    await signIn(page, hub, owner)
    await page.goto(`${detail(owner, device)}/commands/${asked.id}`)
    await print("first line\n")
    await expect(output(page)).toContainText("first line")
    const block = Array.from({ length: 700 }, (_, at) => `line ${at} ${"x".repeat(80)}`).join("\n")
    const bytes = Buffer.from("first line\n").length
    await print(`${block}\n`, { offset: bytes + 1_200_000 })
    await print("safe\u202etxt.exe\n", { stream: "stderr" })
    await expect(output(page)).toContainText("U+202E")
    expect(
      await output(page).evaluate((box) => Math.round(box.scrollHeight - box.clientHeight - box.scrollTop)),
      "the end is in sight"
    ).toBeLessThan(24)
    expect(await output(page).locator("[data-stream]").count(), "what is drawn is what is in sight").toBeLessThan(80)
    await output(page).evaluate((box) => {
      box.scrollTop = 0
    })
    await expect(output(page)).toContainText("1.2 MB not shown")
    await print("after one scrolled up\n")
    await expect(page.getByRole("button", { name: "Follow the end" })).toBeVisible()
    await expect(output(page)).toContainText("first line")
    await expectNoBreaches(page)
    await page.getByRole("button", { name: "Follow the end" }).click()
    await expect(output(page)).toContainText("after one scrolled up")
    await page.getByLabel("Streams").selectOption("stderr")
    await expect(output(page)).not.toContainText("after one scrolled up")
    await page.getByLabel("Streams").selectOption("Both streams")
    await report("done", {
      outcome: "failed",
      exit_code: 2,
      error: { code: "exit_code", message: "It ended with exit code 2" }
    })
    await expect(page.getByText("The program ended with an error.")).toBeVisible()
    await page.getByRole("button", { name: "Copy output" }).click()
    const copied = await page.evaluate(() => navigator.clipboard.readText())
    expect(copied.split("\n").length).toBeGreaterThan(700)
    expect(copied).toContain("first line\n[1.2 MB not shown, because they weren't kept]\nline 0")
    await page.setViewportSize({ width: 390, height: 844 })
    await expectNothingSideways(page)
    await expectNoBreaches(page)
  })
})

test.describe("a device that requires consent", () => {
  test("through the hub shows its plan in the inbox; an approval runs it, a rejection does not, and no money is mentioned", async ({ api, hub, machine, owner, page }) => {
    const build = await machine()
    const script = build.script("deploy", "echo deployed $1")
    build.rules([], { ask_via: "hub", sandbox: "off" })
    await signIn(page, hub, owner)
    await page.goto(`/w/${owner.org}/inbox`)
    await expect(page.getByText("No pending approvals.")).toBeVisible()
    const queued = (argv: ReadonlyArray<string>) =>
      api.call("POST", `/devices/sessions/${build.session}/commands`, 201, {
        tool: "shell.run",
        input: { argv, env: { STAGE: "live" } },
        reason: "The release of Friday"
      })
    const first = await queued([script, "to \u202elive"])
    const inboxRow = page.locator("[data-row]").filter({ hasText: "build-1:" })
    await expect(inboxRow).toContainText("deploy")
    await expect(inboxRow).not.toContainText("$")
    await expect(inboxRow.getByRole("checkbox")).toHaveCount(0)
    await inboxRow.getByRole("link").click()
    const approval = page.getByRole("article")
    await expect(approval.getByRole("heading", { level: 2 })).toContainText(/wants to run\s*shell\.run\s*on\s*build-1/u)
    await expect(approval.getByRole("list", { name: "Program and arguments, one per line" })).toContainText("U+202E")
    await expect(approval).toContainText("The release of Friday")
    await expect(approval).toContainText("None. The command can do everything that the device's user can do.")
    await expect(approval).toContainText("STAGE=live")
    await expect(approval).toContainText(script)
    await expect(approval.getByText("Programs and scripts run from copies", { exact: false })).toBeVisible()
    await expect(approval).not.toContainText("$")
    await expect(approval.getByRole("button", { name: "Edit as a new request" })).toHaveCount(0)
    await expect(approval.getByRole("button", { name: "Approve similar requests from now on" })).toHaveCount(0)
    await expectNoBreaches(page)
    await expect(page.getByText("Scroll to the end of the plan to approve.")).toBeVisible()
    // The scroll container depends on the size of the window.
    await approval.getByText("Programs and scripts run from copies", { exact: false }).evaluate((element) => {
      for (let scroller = element.parentElement; scroller !== null; scroller = scroller.parentElement) {
        scroller.scrollTo({ top: scroller.scrollHeight })
      }
    })
    await page.getByRole("button", { name: "Approve and run" }).click()
    await expect(page.getByText("Approved and succeeded.")).toBeVisible()
    await expectNoBreaches(page)
    await page.getByRole("link", { name: "Open the command" }).click()
    await expect(page).toHaveURL(new RegExp(first.id, "u"))
    await expect(output(page)).toContainText("deployed to")
    await expect(page.getByText("Plan", { exact: true })).toBeVisible()
    const second = await queued([script, "again"])
    await page.goto(`${detail(owner, build)}/commands/${second.id}`)
    await expect(page.getByText("The device requires approval before it starts.")).toBeVisible()
    await page.getByRole("link", { name: "Review" }).click()
    await page.getByRole("button", { name: "Reject" }).click()
    await expect(page.getByText("Nothing was run.")).toBeVisible()
    await page.getByRole("link", { name: "Open the command" }).click()
    await expect(page.getByText("The device denied it. A person denied it.")).toBeVisible()
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goBack()
    await expectNothingSideways(page)
    await expectNoBreaches(page)
  })
})

test.describe("a session", () => {
  test("has a working directory within the roots, and an error for any other", async ({ hub, machine, owner, page }) => {
    const build = await machine()
    await signIn(page, hub, owner)
    await page.goto(detail(owner, build))
    const session = page.getByRole("region", { name: "Session", exact: true })
    await session.getByRole("button", { name: "Change" }).click()
    await dialog(page).getByLabel("Path").fill("/etc")
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(dialog(page).getByText("This is outside the directories that the owner opened.")).toBeVisible()
    await expectNoBreaches(page)
    await dialog(page).getByLabel("Path").fill(`${build.root}/sub`)
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(session).toContainText(`${build.root}/sub`)
  })

  test("is paused, resumed, and ended by hand; the next one is new, and the log of the first stays", async ({ api, hub, machine, owner, page }) => {
    const build = await machine()
    await api.call("POST", `/devices/sessions/${build.session}/commands`, 201, { tool: "system.info", input: {} })
    await signIn(page, hub, owner)
    await page.goto(detail(owner, build))
    await expect(row(page, "system.info")).toBeVisible()
    await page.getByRole("button", { name: "Pause" }).click()
    await dialog(page).getByRole("button", { name: "Pause" }).click()
    await expect(page.getByText("build-1 is paused here.", { exact: false })).toBeVisible()
    await page.getByRole("button", { name: "Activate" }).click()
    await dialog(page).getByRole("button", { name: "Activate" }).click()
    await expect(page.getByText("It accepts commands.")).toBeVisible()
    await page.getByRole("button", { name: "Edit" }).click()
    await dialog(page).getByLabel("Labels").fill("GPU")
    await expect(dialog(page).getByText("Lower-case letters, digits", { exact: false })).toBeVisible()
    await dialog(page).getByLabel("Labels").fill("gpu, eu")
    await dialog(page).getByRole("button", { name: "Save" }).click()
    await expect(page.locator("header").getByText("gpu", { exact: true })).toBeVisible()
    await page.getByRole("button", { name: "End session" }).click()
    await dialog(page).getByRole("button", { name: "End session" }).click()
    await expect(page.getByRole("button", { name: /^Show its commands/u })).toBeVisible()
    await page.getByRole("button", { name: /^Show its commands/u }).click()
    await expect(row(page, "system.info")).toBeVisible()
    await expect(page).toHaveURL(/session=dss_/u)
  })
})

test("a device of another workspace is not found", async ({ api, hub, owner, page }) => {
  const other = apiFor(hub, await hub.person({ name: "Eve" }))
  const device = await register(other)
  await register(api)
  await signIn(page, hub, owner)
  await page.goto(detail(owner, device))
  await expect(page.getByText("Page not found")).toBeVisible()
})
