/**
 * Main's logic of the owner's window, with real files and the real window logic. Spec: reference/devices.md "Security
 * rules".
 */
import { ownerPush, type OwnerState } from "@countersign/desktop/bridge/owner"
import type { AgentQuestion } from "@countersign/desktop/device/app-port"
import { openStateFolder, writeIdentity } from "@countersign/desktop/device/state"
import { Owner } from "@countersign/desktop/main/bridge/owner"
import { ConnectionLog } from "@countersign/desktop/main/connection-log/service"
import { approvalDelayMillis, makeConsent } from "@countersign/desktop/main/device/consent"
import { type DeviceHost, makeDeviceHost } from "@countersign/desktop/main/device/host"
import { guardConsent } from "@countersign/desktop/main/device/lock-guard"
import { makePanic } from "@countersign/desktop/main/device/panic"
import { Device, type DeviceShape } from "@countersign/desktop/main/device/service"
import { makeWindows, type WindowParts } from "@countersign/desktop/main/electron/windows"
import { Profiles } from "@countersign/desktop/main/profiles/profiles"
import { FolderDialog } from "@countersign/desktop/main/windows/folder-dialog"
import { Windows } from "@countersign/desktop/main/windows/windows"
import { DeviceId } from "@countersign/domain/ids"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { it } from "vitest"
import { after, forkedAgents, timers } from "../../support/app-agent.ts"
import { temporaryFolder } from "../../support/desktop-main.ts"
import { paired, until } from "../../support/device-agent.ts"
import { BrowserWindow, record } from "../../support/electron-stub.mjs"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"

const questionOf = (question: string): AgentQuestion => ({
  question,
  digest: createHash("sha256").update(question).digest("hex"),
  command_id: `cmd_${question}`,
  requested_by: { type: "agent", id: "agt_1", name: "Scout" },
  plan: {
    version: 1,
    tool: "shell.run",
    input: { argv: ["npm", "test"] },
    directory: "/srv/work",
    sandbox: "none",
    timeout_seconds: 30
  }
})

/** The owner's services with a folder; `makeHost` when an agent must run. */
const ownerOver = Effect.fnUntraced(function*(
  home: string,
  folder = join(home, "device"),
  makeHost?: (consent: ReturnType<typeof makeConsent>) => DeviceHost
) {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const time = timers()
  const logged: Array<string> = []
  const log = (event: string, facts: Readonly<Record<string, unknown>> = {}) =>
    void logged.push(facts["cause"] === undefined ? event : `${event} ${String(facts["cause"])}`)
  const screen = { locked: false, reported: true }
  const consent = makeConsent({ now: time.now, after: time.after, log })
  const guarded = guardConsent({ consent, check: async () => ({ ...screen }), every: () => () => {} })
  const host = makeHost?.(consent) ?? makeDeviceHost({
    fork: () => {
      throw new Error("nothing is started")
    },
    folder,
    consent,
    after: time.after,
    random: () => 0,
    log,
    keys: { read: async () => undefined, forget: async () => {} }
  })
  const panic = makePanic({ path: join(home, "panic.json"), host, consent, log })
  const windows = makeWindows(
    { BrowserWindow, preloads: "/preloads", isDark: () => false, contrast: () => "system" } as unknown as WindowParts
  )
  const picks: Array<string | undefined> = []
  const asked: Array<string> = []
  const events: Array<string> = []
  const before = record.windows.length
  const services = yield* Layer.build(Owner.layer.pipe(Layer.provide(Layer.mergeAll(
    Layer.succeed(Device, { host, consent: guarded, panic, folder } as DeviceShape),
    Layer.succeed(Windows, windows),
    Profiles.layer(home),
    Layer.succeed(FolderDialog, {
      pick: async ({ title }) => {
        asked.push(title)
        return picks.shift()
      }
    }),
    Layer.succeed(ConnectionLog, {
      write: (event) => void events.push(event),
      entries: () => [],
      subscribe: () => () => {},
      flush: () => {}
    })
  ))))
  const { methods } = Context.get(services, Owner)
  const answers: Array<string> = []
  const ask = (id: string) => {
    const question = questionOf(id)
    consent.ask(question, (answer) => answers.push(`${id} ${answer}`))
    return question
  }
  /** The created owner's windows, newest last. */
  const made = () =>
    record.windows.slice(before).filter(({ options }) => options.webPreferences.partition === "countersign-owner")
  const open = () => made().filter(({ window }) => !window.destroyed)
  const display = async (of: { readonly question: string; readonly digest: string }) => {
    await methods.drawn(of)
    time.pass(approvalDelayMillis)
    await methods.read(of)
  }
  const refusal = (
    work: Promise<unknown>
  ): Promise<
    {
      readonly code?: string
      readonly message?: string
      readonly details?: ReadonlyArray<{ readonly path: string; readonly message: string }>
    }
  > => work.then((value) => ({ message: `not refused: ${JSON.stringify(value)}` }), (error) => error)
  return {
    answers,
    ask,
    asked,
    consent,
    events,
    folder,
    home,
    host,
    logged,
    display,
    made,
    methods,
    open,
    panic,
    picks,
    refusal,
    screen,
    time,
    windows
  }
})

const scoped = <A>(test: (world: Effect.Success<ReturnType<typeof ownerOver>>) => Promise<A>) => () =>
  Effect.runPromise(Effect.scoped(Effect.gen(function*() {
    const world = yield* ownerOver(yield* temporaryFolder)
    return yield* Effect.promise(() => test(world))
  })))

const stateIn = (
  open: ReadonlyArray<{ readonly sent: ReadonlyArray<readonly [string, unknown]> }>
): OwnerState | undefined =>
  open.at(-1)?.sent.findLast(([channel]) => channel === ownerPush)?.[1] as OwnerState | undefined

const eventually = async <A>(read: () => A | undefined): Promise<A> => {
  for (;;) {
    const found = read()
    if (found !== undefined) return found
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe("the owner's window", () => {
  it(
    "D11: a question brings it to the front once, on top of other windows, and it closes with the answer",
    scoped(async ({ answers, ask, display, methods, open, time }) => {
      assert.isEmpty(open())
      const question = ask("q1")
      const [window] = open()
      assert.deepInclude(window!.options, { alwaysOnTop: true })
      assert.deepEqual(window!.urls, ["app://countersign/owner.html"])
      await eventually(() => window!.window.focused > 0 ? true : undefined)
      const { digest } = question
      assert.deepEqual(await methods.allow({ question: "q1", digest }), { refusal: "not_drawn" })
      await methods.read({ question: "q1", digest })
      await methods.drawn({ question: "q1", digest })
      time.pass(approvalDelayMillis - 1)
      assert.deepEqual(await methods.allow({ question: "q1", digest }), { refusal: "too_soon" })
      time.pass(1)
      assert.deepEqual(await methods.allow({ question: "q1", digest }), { refusal: "not_read" })
      await display(question)
      await eventually(() => stateIn(open())?.question?.allow === true ? true : undefined)
      assert.deepEqual(await methods.allow({ question: "q1", digest: "0".repeat(64) }), { refusal: "other_question" })
      assert.isEmpty(answers)
      assert.deepEqual(await methods.allow({ question: "q1", digest }), { refusal: null })
      assert.deepEqual(answers, ["q1 approved"])
      // Drawing, reading, and state updates did not take the focus again.
      assert.strictEqual(window!.window.focused, 1)
      assert.isEmpty(open())
    })
  )

  it(
    "D11: each question takes the focus once; a window that a person opened stays, no longer on top",
    scoped(async ({ ask, made, methods, open, windows }) => {
      Effect.runSync(windows.showOwner())
      const [{ window } = assert.fail("no window")] = open()
      await eventually(() => window.focused > 0 ? true : undefined)
      assert.isFalse(window.onTop)
      ask("q1")
      ask("q2")
      assert.deepEqual([window.onTop, window.focused], [true, 2])
      await methods.deny({ question: "q1", cause: "person" })
      assert.deepEqual([window.onTop, window.focused], [true, 3])
      await methods.deny({ question: "q2", cause: "escape" })
      assert.deepEqual([window.onTop, window.focused, window.destroyed], [false, 3, false])
      assert.lengthOf(made(), 1)
    })
  )

  it(
    "D10: closing it denies the displayed question, and the next one opens another window",
    scoped(async ({ answers, ask, logged, made, open }) => {
      ask("q1")
      ask("q2")
      open()[0]!.window.close()
      assert.deepEqual(answers, ["q1 denied"])
      assert.include(logged, "consent_denied closed")
      assert.lengthOf(open(), 1)
      assert.lengthOf(made(), 2)
    })
  )

  it(
    "D10: denies all pending questions when it crashes or its page does not load",
    scoped(async ({ answers, ask, events, logged, open }) => {
      ask("q1")
      ask("q2")
      open()[0]!.contents.emit("render-process-gone", {}, { reason: "oom" })
      assert.deepEqual(answers, ["q1 denied", "q2 denied"])
      assert.isEmpty(open())
      const { loadURL } = BrowserWindow.prototype
      BrowserWindow.prototype.loadURL = () => Promise.reject(new Error("ERR_FAILED"))
      try {
        ask("q3")
        await eventually(() => answers.at(-1) === "q3 denied" ? true : undefined)
      } finally {
        BrowserWindow.prototype.loadURL = loadURL
      }
      assert.deepEqual(logged, ["consent_denied crashed", "consent_denied crashed", "consent_denied crashed"])
      assert.deepEqual(events, ["owner_window_crashed", "owner_window_crashed"])
    })
  )

  it(
    "D10: a locked screen denies all questions, and closes the window before it is unlocked",
    scoped(async ({ answers, ask, consent, open }) => {
      ask("q1")
      ask("q2")
      consent.setLocked(true)
      assert.deepEqual(answers, ["q1 denied", "q2 denied"])
      assert.isEmpty(open())
      ask("q3")
      assert.isEmpty(open())
      assert.strictEqual(answers.at(-1), "q3 denied")
    })
  )

  it(
    "D10: refuses approval after a lock in the meantime, and shows when the system reports no locks",
    scoped(async ({ answers, ask, display, methods, screen }) => {
      assert.isTrue((await methods.state()).tells_lock)
      const question = ask("q1")
      await display(question)
      screen.locked = true
      assert.deepEqual(await methods.allow({ question: "q1", digest: question.digest }), { refusal: "other_question" })
      assert.deepEqual(answers, ["q1 denied"])
      Object.assign(screen, { locked: false, reported: false })
      assert.deepEqual(await methods.allow({ question: "q1", digest: question.digest }), { refusal: "other_question" })
      assert.isFalse((await methods.state()).tells_lock)
    })
  )

  it(
    "resumes a panic stop, and stays stopped when the state cannot be written",
    scoped(async ({ ask, home, methods, open, panic, refusal }) => {
      ask("q1")
      await panic.stop("tray")
      assert.isEmpty(open())
      assert.isTrue((await methods.state()).panic.stopped)
      const path = join(home, "panic.json")
      rmSync(path)
      mkdirSync(join(path, "in-the-way"), { recursive: true })
      assert.deepInclude(await refusal(methods.resume()), { code: "not_written" })
      assert.isTrue((await methods.state()).panic.stopped)
      rmSync(path, { recursive: true })
      assert.isNull(await methods.resume())
      assert.isFalse((await methods.state()).panic.stopped)
      assert.isNull(JSON.parse(readFileSync(path, "utf8")).stopped_at)
    })
  )

  it(
    "sends states in order, and no state twice",
    scoped(async ({ ask, consent, methods, open, windows }) => {
      Effect.runSync(windows.showOwner())
      ask("q1")
      await eventually(() => stateIn(open())?.question?.question === "q1" ? true : undefined)
      consent.withdraw("q1")
      await eventually(() => stateIn(open())?.question === null ? true : undefined)
      const numbers = open()[0]!.sent.map(([, state]) => (state as OwnerState).seq)
      assert.deepEqual(numbers, [...numbers].sort((a, b) => a - b))
      assert.isAbove((await methods.state()).seq, numbers.at(-1)!)
    })
  )
})

describe("the rules file", () => {
  const rules = (folder: string) => join(folder, "device.rules.json")

  it(
    "D5: is saved only if the agent accepts it; a refusal names the place and leaves the file unchanged",
    scoped(async ({ folder, methods, refusal }) => {
      const first = await methods.state()
      assert.deepInclude(first.rules, { kind: "rules", digest: null })
      assert.isNull(
        await methods.saveRules({ text: "{\"version\":1,\"ask_via\":\"screen\",\"rules\":[]}", seen: null })
      )
      const path = rules(folder)
      assert.strictEqual(statSync(path).mode & 0o777, 0o600)
      const before = readFileSync(path, "utf8")
      const { digest } = (await methods.state()).rules
      for (
        const [text, where] of [
          [
            "{\"version\":1,\"rules\":[{\"effect\":\"allow\",\"tool\":\"shell.run\",\"argv\":[\"bash\",\"-c\",\"x\"]}]}",
            "rules.0"
          ],
          ["{\"version\":1,\"rules\":[{\"effect\":\"alow\",\"tool\":\"shell.run\"}]}", "rules.0.effect"],
          ["{\"version\":1,\"rules\":[],\"sandbox\":\"maybe\"}", "sandbox"],
          ["{\"version\":1,\"rules\":[],\"allow_all\":true}", "allow_all"],
          ["{\"version\":1,\n\"rules\":[}", ""],
          ["", ""]
        ] as const
      ) {
        const refused = await refusal(methods.saveRules({ text, seen: digest }))
        assert.strictEqual(refused.code, "rules_refused", text)
        assert.include((refused.details ?? []).map((each) => each.path), where, text)
        assert.strictEqual(readFileSync(path, "utf8"), before)
      }
    })
  )

  it(
    "is not overwritten after a change elsewhere",
    scoped(async ({ folder, methods, refusal }) => {
      await methods.saveRules({ text: "{\"version\":1,\"rules\":[]}", seen: null })
      const { digest } = (await methods.state()).rules
      const byHand = "{\"version\":1,\"rules\":[{\"effect\":\"deny\",\"tool\":\"shell.run\"}]}"
      writeFileSync(rules(folder), byHand)
      for (const seen of [digest, null]) {
        assert.deepInclude(await refusal(methods.saveRules({ text: "{\"version\":1,\"rules\":[]}", seen })), {
          code: "changed_meanwhile"
        })
      }
      assert.strictEqual(readFileSync(rules(folder), "utf8"), byHand)
    })
  )

  it(
    "is shown with its problem and can be corrected when invalid; is left unchanged when others can read it",
    scoped(async ({ folder, methods, refusal }) => {
      writeFileSync(rules(folder), "{\"version\":2}", { mode: 0o600 })
      const { rules: shown } = await methods.state()
      assert.deepInclude(shown, { kind: "problem", text: "{\"version\":2}" })
      await methods.saveRules({ text: "{\"version\":1,\"rules\":[]}", seen: shown.digest })
      assert.strictEqual((await methods.state()).rules.kind, "rules")
      chmodSync(rules(folder), 0o644)
      const { rules: open } = await methods.state()
      assert.deepInclude(open, { kind: "problem", text: null })
      assert.include(open.kind === "problem" ? open.problem : "", "can be read by others")
      assert.deepInclude(await refusal(methods.saveRules({ text: "{\"version\":1,\"rules\":[]}", seen: null })), {
        code: "unreadable"
      })
    })
  )

  it(
    "keeps a link",
    scoped(async ({ folder, home, methods }) => {
      const kept = join(home, "kept.json")
      writeFileSync(kept, "{\"version\":1,\"rules\":[]}", { mode: 0o600 })
      symlinkSync(kept, rules(folder))
      await methods.saveRules({
        text: "{\"version\":1,\"ask_via\":\"none\",\"rules\":[]}",
        seen: (await methods.state()).rules.digest
      })
      assert.include(readFileSync(kept, "utf8"), "none")
      assert.strictEqual((await methods.state()).rules.kind, "rules")
    })
  )
})

describe("folders that are open to commands", () => {
  const deviceId = DeviceId.make("dev_00000000000000000000000000")
  const pair = (folder: string, roots: ReadonlyArray<string>) =>
    writeIdentity(openStateFolder(folder), {
      hub: "https://hub.example.com",
      device_id: deviceId,
      name: "build-1",
      instance_id: "i1",
      roots,
      paired_at: "2026-01-01T00:00:00Z"
    })

  it(
    "are picked in the system's dialog, with links resolved, and closed by path",
    scoped(async ({ asked, folder, home, methods, picks, refusal }) => {
      assert.deepInclude(await refusal(methods.addRoot()), { code: "not_paired" })
      assert.isEmpty(asked)
      pair(folder, [])
      const real = join(home, "work")
      mkdirSync(real)
      symlinkSync(real, join(home, "link"))
      picks.push(undefined, join(home, "link"), real, join(home, "gone"), join(folder, "device.json"))
      assert.deepEqual(await methods.addRoot(), { added: null })
      assert.deepEqual(await methods.addRoot(), { added: real })
      assert.deepInclude(await refusal(methods.addRoot()), { code: "open_already" })
      assert.deepInclude(await refusal(methods.addRoot()), { code: "not_there" })
      assert.deepInclude(await refusal(methods.addRoot()), { code: "no_directory" })
      const { pairing, roots } = await methods.state()
      assert.deepEqual(pairing, {
        hub: "https://hub.example.com",
        hub_name: null,
        device_id: deviceId,
        name: "build-1"
      })
      assert.deepEqual(roots, [{ path: real, there: true }])
      rmSync(real, { recursive: true })
      assert.deepEqual((await methods.state()).roots, [{ path: real, there: false }])
      assert.deepInclude(await refusal(methods.removeRoot({ path: join(home, "link") })), { code: "not_open" })
      assert.isNull(await methods.removeRoot({ path: real }))
      assert.isEmpty((await methods.state()).roots)
    })
  )

  it(
    "allows one dialog at a time",
    scoped(async ({ folder, methods, refusal }) => {
      pair(folder, [])
      const first = methods.addRoot()
      assert.deepInclude(await refusal(methods.addRoot()), { code: "picking" })
      assert.deepEqual(await first, { added: null })
    })
  )

  it(
    "reports an unreadable pairing, and changes nothing in it",
    scoped(async ({ folder, methods, picks, refusal }) => {
      writeFileSync(join(folder, "device.json"), "{}", { mode: 0o600 })
      picks.push(folder)
      assert.include((await methods.state()).pairing_problem, "damaged")
      for (const work of [methods.removeRoot({ path: "/srv" }), methods.addRoot()]) {
        assert.deepInclude(await refusal(work), { code: "unreadable" })
      }
      assert.strictEqual(readFileSync(join(folder, "device.json"), "utf8"), "{}")
    })
  )
})

layer(HubTest(), { excludeTestServices: true })("changes for a running agent", (it) => {
  it.effect(
    "D5, D12: apply rules from the next command, and folders at once by a restart",
    () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        const as = { cookie: hub.owner.cookie }
        const home = yield* temporaryFolder
        const place = yield* paired(hub, hub.owner)
        const agents = forkedAgents()
        yield* Effect.addFinalizer(() => Effect.sync(agents.end))
        const key = readFileSync(place.folder.file("device.key"), "utf8").trim()
        const { host, methods, picks } = yield* ownerOver(home, place.folder.path, (consent) =>
          makeDeviceHost({
            fork: agents.fork,
            folder: place.folder.path,
            consent,
            after,
            random: () => 0,
            log: () => {},
            keys: { read: async () => key, forget: async () => {} }
          }))
        const device = Effect.map(
          hub.api("GET", `/devices/${place.id}`, as),
          (answer) => expectStatus(answer, 200).body
        )
        const online = Effect.map(
          until(device, ({ presence, session }) => presence === "online" && session !== undefined),
          ({ session }) => session.id as string
        )
        const done = Effect.fnUntraced(function*(argv: ReadonlyArray<string>, directory?: string) {
          const session = yield* online
          const body = {
            tool: "shell.run",
            input: { argv },
            ...directory === undefined ? {} : { working_directory: directory },
            timeout_seconds: 60
          }
          const { id } =
            expectStatus(yield* hub.api("POST", `/devices/sessions/${session}/commands`, { ...as, body }), 201).body
          const command = Effect.map(
            hub.api("GET", `/devices/commands/${id}`, as),
            (answer) => expectStatus(answer, 200).body
          )
          return yield* until(
            command,
            ({ status }) => status === "done" || status === "cancelled" || status === "expired"
          )
        })
        const save = (rules: ReadonlyArray<object>) =>
          Effect.promise(async () => {
            const { digest } = (await methods.state()).rules
            await methods.saveRules({
              text: JSON.stringify({ version: 1, ask_via: "none", sandbox: "off", rules }),
              seen: digest
            })
          })
        yield* save([{ effect: "allow", tool: "shell.run", argv: ["pwd"] }])
        yield* Effect.promise(() => host.start())
        assert.deepInclude(yield* done(["pwd"]), { outcome: "succeeded" })
        yield* save([{ effect: "deny", tool: "shell.run" }])
        assert.deepInclude((yield* done(["pwd"])).error, { code: "denied_by_rule" })
        assert.lengthOf(agents.children, 1)

        yield* save([{ effect: "allow", tool: "shell.run", argv: ["pwd"] }])
        const more = join(home, "more")
        mkdirSync(more)
        picks.push(more)
        yield* Effect.promise(() => methods.addRoot())
        yield* until(
          Effect.sync(() => [agents.children.length, host.view().phase] as const),
          ([count, phase]) => count === 2 && phase === "online"
        )
        yield* until(device, ({ session }) => session?.roots.includes(more))
        assert.deepInclude(yield* done(["pwd"], more), { outcome: "succeeded" })
        yield* Effect.promise(() => methods.removeRoot({ path: more }))
        yield* until(
          Effect.sync(() => [agents.children.length, host.view().phase] as const),
          ([count, phase]) => count === 3 && phase === "online"
        )
        yield* until(device, ({ session }) => session !== undefined && !session.roots.includes(more))

        // A missing folder prevents the agent's start and is reported; closing the folder in the window allows it.
        picks.push(more)
        yield* Effect.promise(() => methods.addRoot())
        yield* until(Effect.sync(() => host.view()), ({ phase }) => phase === "online")
        yield* Effect.promise(() => host.stop())
        rmSync(more, { recursive: true })
        yield* Effect.promise(() => host.start())
        yield* until(Effect.sync(() => host.view()), ({ failure }) => failure === "configuration")
        yield* Effect.promise(() => methods.removeRoot({ path: more }))
        yield* until(Effect.sync(() => host.view()), ({ phase }) => phase === "online")
        assert.isFalse(existsSync(more))
        yield* Effect.promise(() => host.stop())
      })
  )
})
