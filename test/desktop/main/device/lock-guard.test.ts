/** Consent before a screen that may be locked: what is asked of the system, and when. D-numbers: desktop.md 5. */
import type { AgentQuestion } from "@countersign/desktop/device/app-port"
import { deadMillis, makeConsent } from "@countersign/desktop/main/device/consent"
import { guardConsent, lookMillis } from "@countersign/desktop/main/device/lock-guard"
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
  const screen = { locked: false, told: true, looks: 0 }
  let ticking: (() => void) | undefined
  const held: Array<() => void> = []
  let isHeld = false
  const consent = guardConsent({
    consent: makeConsent({ now: time.now, after: time.after, log: (event, { cause }) => logged.push(cause ?? event) }),
    look: async () => {
      const { locked, told } = screen
      screen.looks++
      if (isHeld) await new Promise<void>((go) => held.push(go))
      return { locked, told }
    },
    every: (millis, act) => {
      assert.strictEqual(millis, lookMillis)
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
  const look = ({ digest, question }: AgentQuestion) => {
    consent.drawn(question, digest)
    time.pass(deadMillis)
    consent.read(question, digest)
  }
  return {
    answers,
    ask,
    consent,
    held,
    logged,
    look,
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
  it("D10: is asked about before a question is shown, which is a no while it is locked and for no longer", async () => {
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

  it("D10: is looked at again while one waits, and not otherwise", async () => {
    const { answers, ask, isTicking, screen, tick } = world()
    assert.deepStrictEqual([isTicking(), screen.looks], [false, 0])
    await ask("q1")
    await tick()
    assert.deepStrictEqual(answers, [])
    screen.locked = true
    await tick()
    assert.deepStrictEqual([answers, isTicking(), screen.looks], [["q1 denied"], false, 3])
  })

  it("D10: is looked at once more before a yes counts", async () => {
    const { answers, ask, consent, look, screen } = world()
    const [first, second] = [questionOf("q1"), questionOf("q2")]
    await ask("q1")
    look(first)
    assert.isUndefined(await consent.allow("q1", first.digest))
    await ask("q2")
    look(second)
    screen.locked = true
    assert.strictEqual(await consent.allow("q2", second.digest), "other_question")
    assert.deepStrictEqual(answers, ["q1 approved", "q2 denied"])
  })

  it("D10: what is withdrawn, or whose agent ended, before the system answered is never shown; what came meanwhile is", async () => {
    const { answers, ask, consent, held, hold, screen, settled } = world()
    hold(true)
    await ask("q1")
    await ask("q2")
    consent.withdraw("q1")
    hold(false)
    held.shift()!()
    await settled()
    assert.deepStrictEqual([consent.current()?.question, screen.looks], ["q2", 2])
    hold(true)
    await ask("q3")
    consent.agentGone()
    held.shift()!()
    await settled()
    assert.isUndefined(consent.current())
    assert.deepStrictEqual(answers, ["q2 denied"])
  })

  it("D10: an answer that is late does not undo a newer one", async () => {
    const { answers, ask, consent, held, hold, look, screen, settled, tick } = world()
    const { digest } = questionOf("q1")
    await ask("q1")
    look(questionOf("q1"))
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

  it("D10: told of by the system itself it holds whatever a look says; sleep is a no to what waits", async () => {
    const { answers, ask, consent, logged } = world()
    consent.setLocked(true)
    await ask("q1")
    consent.setLocked(false)
    await ask("q2")
    consent.suspended()
    assert.deepStrictEqual([answers, logged], [["q1 denied", "q2 denied"], ["locked", "suspended"]])
  })

  it("D10: a look that fails has told nothing", async () => {
    const consent = guardConsent({
      consent: makeConsent({ now: () => 0, after: () => () => {}, log: () => {} }),
      look: () => Promise.reject(new Error("no bus")),
      every: () => () => {}
    })
    assert.isFalse(await consent.tellsLock())
    consent.ask(questionOf("q1"), () => {})
    await new Promise((resolve) => setImmediate(resolve))
    assert.strictEqual(consent.current()?.question, "q1")
  })
})
