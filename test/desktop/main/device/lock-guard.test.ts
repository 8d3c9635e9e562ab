/**
 * Consent on a screen that may be locked: which queries the system receives, and when. Spec: reference/devices.md "D10:
 * doubt is denial".
 */
import type { AgentQuestion } from "@countersign/desktop/device/app-port"
import { approvalDelayMillis, makeConsent } from "@countersign/desktop/main/device/consent"
import { checkMillis, guardConsent } from "@countersign/desktop/main/device/lock-guard"
import { createHash } from "node:crypto"
import { assert, describe, it } from "vitest"
import { timers } from "../../../support/app-agent.ts"

const questionOf = (question: string): AgentQuestion => ({
  question,
  digest: createHash("sha256").update(question).digest("hex"),
  command_id: `cmd_${question}`,
  requested_by: { type: "agent", id: "agt_1", name: "Scout" },
  plan: { version: 1, tool: "system.info", input: {}, timeout_seconds: 30 }
})

const world = () => {
  const time = timers()
  const logged: Array<unknown> = []
  const answers: Array<string> = []
  const screen = { locked: false, reported: true, checks: 0 }
  let ticking: (() => void) | undefined
  const held: Array<() => void> = []
  let isHeld = false
  const consent = guardConsent({
    consent: makeConsent({ now: time.now, after: time.after, log: (event, { cause }) => logged.push(cause ?? event) }),
    check: async () => {
      const { locked, reported } = screen
      screen.checks++
      if (isHeld) await new Promise<void>((go) => held.push(go))
      return { locked, reported }
    },
    every: (millis, act) => {
      assert.strictEqual(millis, checkMillis)
      ticking = act
      return () => {
        ticking = undefined
      }
    }
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const ask = async (id: string) => {
    consent.ask(questionOf(id), (answer) => answers.push(`${id} ${answer}`))
    await settled()
  }
  const display = ({ digest, question }: AgentQuestion) => {
    consent.drawn(question, digest)
    time.pass(approvalDelayMillis)
    consent.read(question, digest)
  }
  return {
    answers,
    ask,
    consent,
    held,
    logged,
    display,
    screen,
    settled,
    hold: (on: boolean) => {
      isHeld = on
    },
    isTicking: () => ticking !== undefined,
    tick: async () => {
      ticking?.()
      await settled()
    }
  }
}

describe("a screen that may be locked", () => {
  it("D10: is queried before a question is shown, and denies it only while locked", async () => {
    const { answers, ask, consent, isTicking, logged, screen } = world()
    let shown = 0
    consent.subscribe((drawing) => {
      if (drawing !== undefined) shown++
    })
    screen.locked = true
    await ask("q1")
    assert.deepStrictEqual([answers, shown, logged], [["q1 denied"], 0, ["locked"]])
    screen.locked = false
    await ask("q2")
    assert.strictEqual(consent.current()?.question, "q2")
    assert.isTrue(isTicking())
  })

  it("D10: is queried again only while a question is pending", async () => {
    const { answers, ask, isTicking, screen, tick } = world()
    assert.deepStrictEqual([isTicking(), screen.checks], [false, 0])
    await ask("q1")
    await tick()
    assert.deepStrictEqual(answers, [])
    screen.locked = true
    await tick()
    assert.deepStrictEqual([answers, isTicking(), screen.checks], [["q1 denied"], false, 3])
  })

  it("D10: is queried again before an approval counts", async () => {
    const { answers, ask, consent, display, screen } = world()
    const [first, second] = [questionOf("q1"), questionOf("q2")]
    await ask("q1")
    display(first)
    assert.isUndefined(await consent.allow("q1", first.digest))
    await ask("q2")
    display(second)
    screen.locked = true
    assert.strictEqual(await consent.allow("q2", second.digest), "other_question")
    assert.deepStrictEqual(answers, ["q1 approved", "q2 denied"])
  })

  it("D10: never shows a question that was canceled, or whose agent ended, before the system answered; shows one that arrived meanwhile", async () => {
    const { answers, ask, consent, held, hold, screen, settled } = world()
    hold(true)
    await ask("q1")
    await ask("q2")
    consent.withdraw("q1")
    hold(false)
    held.shift()!()
    await settled()
    assert.deepStrictEqual([consent.current()?.question, screen.checks], ["q2", 2])
    hold(true)
    await ask("q3")
    consent.agentGone()
    held.shift()!()
    await settled()
    assert.isUndefined(consent.current())
    assert.deepStrictEqual(answers, ["q2 denied"])
  })

  it("D10: ignores a late answer that is older than the current state", async () => {
    const { answers, ask, consent, display, held, hold, screen, settled, tick } = world()
    const { digest } = questionOf("q1")
    await ask("q1")
    display(questionOf("q1"))
    hold(true)
    screen.locked = true
    await tick()
    hold(false)
    screen.locked = false
    assert.isUndefined(await consent.allow("q1", digest))
    await ask("q2")
    held.shift()!()
    await settled()
    assert.deepStrictEqual([answers, consent.current()?.question], [["q1 approved"], "q2"])
  })

  it("D10: a lock event from the system overrides queries; sleep denies pending questions", async () => {
    const { answers, ask, consent, logged } = world()
    consent.setLocked(true)
    await ask("q1")
    consent.setLocked(false)
    await ask("q2")
    consent.suspended()
    assert.deepStrictEqual([answers, logged], [["q1 denied", "q2 denied"], ["locked", "suspended"]])
  })

  it("D10: a failed query counts as unreported", async () => {
    const consent = guardConsent({
      consent: makeConsent({ now: () => 0, after: () => () => {}, log: () => {} }),
      check: () => Promise.reject(new Error("no bus")),
      every: () => () => {}
    })
    assert.isFalse(await consent.reportsLock())
    consent.ask(questionOf("q1"), () => {})
    await new Promise((resolve) => setImmediate(resolve))
    assert.strictEqual(consent.current()?.question, "q1")
  })
})
