/** Consent on this computer's screen. Spec: reference/devices.md "Security rules". */
import type { AgentQuestion } from "@countersign/desktop/device/app-port"
import { approvalDelayMillis, makeConsent, questionsMax } from "@countersign/desktop/main/device/consent"
import { consentLines } from "@countersign/desktop/main/device/consent-text"
import { consentSeconds } from "@countersign/domain/device-protocol"
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { timers } from "../../../support/app-agent.ts"

const questionOf = (question: string, more: Partial<AgentQuestion> = {}): AgentQuestion => ({
  question,
  digest: createHash("sha256").update(question).digest("hex"),
  command_id: `cmd_${question}`,
  requested_by: { type: "agent", id: "agt_1", name: "Scout" },
  plan: {
    version: 1,
    tool: "shell.run",
    input: { argv: ["rm", "-rf", "a b"] },
    directory: "/srv/work",
    program: { path: "/bin/rm", real_path: "/usr/bin/rm" },
    sandbox: "none",
    timeout_seconds: 30
  },
  ...more
})

const world = () => {
  const time = timers()
  const logged: Array<readonly [string, unknown]> = []
  const answers: Array<string> = []
  let slept = 0
  const consent = makeConsent({
    now: time.now,
    wall: () => time.now() + slept,
    after: time.after,
    log: (event, { cause }) => logged.push([event, cause])
  })
  const ask = (id: string, more: Partial<AgentQuestion> = {}) => {
    const question = questionOf(id, more)
    consent.ask(question, (answer) => answers.push(`${id} ${answer}`))
    return question
  }
  /** Draws the question, waits, and marks it as read. */
  const display = ({ digest, question }: AgentQuestion) => {
    consent.drawn(question, digest)
    time.pass(approvalDelayMillis)
    consent.read(question, digest)
  }
  return {
    answers,
    ask,
    consent,
    logged,
    display,
    time,
    /** Advances only the wall clock. */
    sleep: (millis: number) => {
      slept += millis
    }
  }
}

describe("consent", () => {
  it("D11: enables approval on time although a timer fires a fraction early", () => {
    const time = timers()
    const consent = makeConsent({
      now: time.now,
      after: (millis, act) => time.after(Math.max(0.5, millis - 0.5), act),
      log: () => {}
    })
    const { digest, question } = questionOf("q1")
    consent.ask(questionOf("q1"), () => {})
    const allowed: Array<boolean | undefined> = []
    consent.drawn(question, digest)
    consent.read(question, digest)
    consent.subscribe((drawing) => allowed.push(drawing?.allow))
    time.pass(approvalDelayMillis - 1)
    assert.deepStrictEqual(allowed, [])
    time.pass(2)
    assert.deepStrictEqual(allowed, [true])
  })

  it("D11: accepts approval only 1.5 s after drawing and when the whole text was read", () => {
    const { answers, ask, consent, time } = world()
    const { digest, question } = ask("q1")
    assert.isFalse(consent.current()?.allow)
    assert.strictEqual(consent.allow(question, digest), "not_drawn")
    consent.read(question, digest)
    consent.drawn(question, digest)
    assert.strictEqual(consent.allow(question, digest), "too_soon")
    time.pass(approvalDelayMillis - 1)
    consent.read(question, digest)
    assert.strictEqual(consent.allow(question, digest), "too_soon")
    assert.isFalse(consent.current()?.allow)
    time.pass(1)
    assert.isTrue(consent.current()?.allow)
    assert.isUndefined(consent.allow(question, digest))
    assert.deepStrictEqual(answers, ["q1 approved"])
    assert.isUndefined(consent.current())
  })

  it("D11: refuses approval of an unread question after any time", () => {
    const { answers, ask, consent, time } = world()
    const { digest, question } = ask("q1")
    consent.drawn(question, digest)
    time.pass(60_000)
    assert.strictEqual(consent.allow(question, digest), "not_read")
    assert.isEmpty(answers)
  })

  it("D9: refuses approval of another digest or of a later question", () => {
    const { answers, ask, consent, display } = world()
    const first = ask("q1")
    const second = ask("q2")
    display(first)
    assert.strictEqual(consent.allow(first.question, second.digest), "other_question")
    consent.drawn(second.question, second.digest)
    assert.strictEqual(consent.allow(second.question, second.digest), "other_question")
    assert.isEmpty(answers)
    assert.strictEqual(consent.current()?.behind, 1)
  })

  it("requires drawing and waiting again for the next question", () => {
    const { answers, ask, consent, display } = world()
    const first = ask("q1")
    const second = ask("q2")
    display(first)
    assert.isUndefined(consent.allow(first.question, first.digest))
    assert.strictEqual(consent.current()?.question, "q2")
    assert.strictEqual(consent.allow(second.question, second.digest), "not_drawn")
    assert.deepStrictEqual(answers, ["q1 approved"])
  })

  it.each(["person", "escape", "closed"] as const)("D10: %s denies the displayed question", (cause) => {
    const { answers, ask, consent, logged } = world()
    ask("q1")
    ask("q2")
    consent.deny("q1", cause)
    assert.deepStrictEqual(answers, ["q1 denied"])
    assert.deepStrictEqual(logged, [["consent_denied", cause]])
    assert.strictEqual(consent.current()?.question, "q2")
  })

  it("D10: denies after 300 s without an answer, also a later question", () => {
    const { answers, ask, consent, time } = world()
    ask("q1")
    time.pass(1_000)
    ask("q2")
    time.pass(consentSeconds * 1_000 - 1_000)
    assert.deepStrictEqual(answers, ["q1 denied"])
    time.pass(1_000)
    assert.deepStrictEqual(answers, ["q1 denied", "q2 denied"])
    assert.isUndefined(consent.current())
  })

  it.each(
    [
      [
        "locked",
        "a locked screen",
        (consent: ReturnType<typeof world>["consent"], on: boolean) => consent.setLocked(on)
      ],
      ["stopped", "a panic stop", (consent: ReturnType<typeof world>["consent"], on: boolean) => consent.setStopped(on)]
    ] as const
  )("D10: %s: %s denies pending and new questions until it ends", (cause, _, set) => {
    const { answers, ask, consent, logged } = world()
    ask("q1")
    set(consent, true)
    ask("q2")
    assert.deepStrictEqual(answers, ["q1 denied", "q2 denied"])
    assert.deepStrictEqual(logged, [["consent_denied", cause], ["consent_denied", cause]])
    set(consent, false)
    ask("q3")
    assert.strictEqual(consent.current()?.question, "q3")
  })

  it("D10: denies all questions when the window crashes or the agent ends", () => {
    const { answers, ask, consent } = world()
    ask("q1")
    ask("q2")
    consent.crashed()
    ask("q3")
    consent.agentGone()
    assert.deepStrictEqual(answers, ["q1 denied", "q2 denied", "q3 denied"])
  })

  it("D10: applies the 300 s to the wall clock: denies questions that expired during sleep, and refuses their approval", () => {
    const { answers, ask, consent, display, logged, sleep } = world()
    const first = ask("q1")
    display(first)
    assert.isTrue(consent.current()?.allow)
    sleep(consentSeconds * 1_000)
    assert.strictEqual(consent.allow("q1", first.digest), "expired")
    ask("q2")
    sleep(1_000)
    ask("q3")
    sleep(consentSeconds * 1_000 - 1_000)
    consent.expireDue()
    assert.deepStrictEqual(answers, ["q1 denied", "q2 denied"])
    assert.deepStrictEqual(logged, [["consent_denied", "expired"], ["consent_denied", "expired"]])
    assert.strictEqual(consent.current()?.question, "q3")
  })

  it("removes a canceled question with its timer and without an answer", () => {
    const { answers, ask, consent, time } = world()
    ask("q1")
    consent.withdraw("q1")
    assert.isUndefined(consent.current())
    time.pass(consentSeconds * 1_000)
    assert.isEmpty(answers)
  })

  it("denies questions beyond the limit", () => {
    const { answers, ask } = world()
    for (let at = 0; at <= questionsMax; at++) ask(`q${at}`)
    assert.deepStrictEqual(answers, [`q${questionsMax} denied`])
  })
})

describe("the text of a question", () => {
  it("shows every word of the command separately, and the real program", () => {
    assert.deepStrictEqual(consentLines(questionOf("q1", { reason: "tidy up" })), [
      "Scout wants to use shell.run on this computer.",
      "Reason given:",
      "  tidy up",
      "Command:",
      "  0  \"rm\"",
      "  1  \"-rf\"",
      "  2  \"a b\"",
      "Program: /bin/rm",
      "  is /usr/bin/rm",
      "Directory: /srv/work",
      "Sandbox: none. It can do all that you can do on this computer.",
      "At most 30 s.",
      `Seal: ${questionOf("q1").digest.slice(0, 8)}`
    ])
  })

  it("D9: shows every file that the digest binds, and the number of unbound files", () => {
    const plan = {
      ...questionOf("q1").plan,
      files: [{ path: "/srv/work/a\nb", sha256: "0".repeat(64), bytes: 3 }],
      files_omitted: 2,
      sandbox: "bubblewrap"
    } as const
    assert.includeMembers([...consentLines(questionOf("q1", { plan }))], [
      "Files (it uses read-only copies):",
      `  /srv/work/a\\nb (3 bytes, SHA-256 ${"0".repeat(64)})`,
      "Other files that can still change: 2 (too large, closed to commands, or over the limit of files)"
    ])
  })

  it("shows names of variables without their values, and no token", () => {
    const token = `ghp_${"a".repeat(36)}`
    const lines = consentLines(questionOf("q1", {
      plan: {
        version: 1,
        tool: "shell.run",
        input: { argv: ["curl", "-H", `authorization: ${token}`], env: { PASSWORD: "hunter2" } },
        timeout_seconds: 30
      }
    })).join("\n")
    assert.include(lines, "PASSWORD")
    assert.notInclude(lines, "hunter2")
    assert.notInclude(lines, token)
  })

  it("escapes a line break in an argument", () => {
    const lines = consentLines(
      questionOf("q1", {
        plan: {
          version: 1,
          tool: "shell.run",
          input: { argv: ["echo", "x\nSandbox: bubblewrap"] },
          timeout_seconds: 30
        }
      })
    )
    assert.notInclude(lines, "Sandbox: bubblewrap")
    assert.include(lines.join("\n"), "x\\nSandbox: bubblewrap")
  })
})
