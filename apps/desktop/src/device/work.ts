/**
 * Executes an acknowledged command: judges it by the present rules, requests approval where they require it, writes it
 * to the journal, and runs it. Spec: reference/devices.md "Journal", "Consent", "D9: plan binding", "D12: rules after
 * consent".
 */
import type { OfferedCommand } from "@countersign/domain/device-frames"
import { DevicePlan } from "@countersign/domain/device-plan"
import { runningMax } from "@countersign/domain/device-protocol"
import { settledRules } from "@countersign/domain/device-rule-defaults"
import { type DeviceRules, judge, type Verdict } from "@countersign/domain/device-rules"
import { inputProblems } from "@countersign/domain/device-tools"
import { parseStrict } from "@countersign/domain/json"
import { Schema } from "effect"
import { type Ask, askPerson, pendingAnswer } from "./consent.ts"
import type { Places } from "./files/places.ts"
import { type Job, stopJob } from "./job.ts"
import type { Journal } from "./journal.ts"
import type { Log } from "./log.ts"
import { planOf } from "./plan.ts"
import { makeRepeats } from "./repeats.ts"
import { denied, Refusal } from "./results/refusal.ts"
import type { RulesRead } from "./rules-file.ts"
import { toolOf } from "./tools/registry.ts"
import type { Finished, Prepared } from "./tools/tool.ts"
import type { Transcripts } from "./transcripts.ts"
import { makeTurns } from "./turns.ts"

export interface WorkOptions {
  readonly journal: Journal
  readonly log: Log
  readonly places: Places
  readonly rules: () => RulesRead
  readonly transcripts: Transcripts
  /** Folder for copies of scripts. */
  readonly copies: string
  /** Requests approval on the local screen, where there is one. */
  readonly screen?: Ask
}

const isPlan = Schema.is(DevicePlan)

/** A plan that the hub accepts: not too long, and without NUL, which an agent's input may contain. */
const isAcceptedPlan = (plan: DevicePlan): boolean => isPlan(plan) && parseStrict(JSON.stringify(plan)).ok

const hasPlace = ({ tool }: OfferedCommand): boolean => tool !== "system.info" && tool !== "http.get"

/** `report` sends a job's state to the hub. The work rejects with a `Refusal` when the command does not run. */
export const makeWork = (
  { copies, journal, log, places, rules, screen, transcripts }: WorkOptions,
  report: (job: Job) => void
) => {
  const turns = makeTurns()
  const repeats = makeRepeats()

  /** The present rules. Denied `rules_invalid`. */
  const rulesNow = (): DeviceRules => {
    const read = rules()
    if ("problem" in read) throw denied("rules_invalid", `This device's rules cannot be used: ${read.problem}`)
    return read.rules
  }

  /**
   * Prepares a command with all its paths opened and resolved, and judges it by the rules. The caller must `close` it.
   */
  const evaluate = (job: Job, now: DeviceRules) => {
    const { command } = job
    const directory = hasPlace(command) ? places.directory(command.working_directory) : undefined
    let prepared: Prepared | undefined
    const close = () => {
      prepared?.close?.()
      directory?.close()
    }
    try {
      prepared = toolOf(command.tool)({
        command: job.id,
        input: command.input,
        isAgent: command.agent !== undefined,
        directory: directory!,
        places,
        rules: now,
        copies
      })
      return {
        prepared,
        planned: planOf(command, prepared),
        verdict: judge(now, { tool: command.tool, ...prepared.deed }),
        close
      }
    } catch (error) {
      close()
      throw error
    }
  }

  const judged = (job: Job, { effect, rule }: Verdict, more: Readonly<Record<string, unknown>> = {}): void => {
    const { command } = job
    log.write("command_judged", {
      command_id: job.id,
      tool: command.tool,
      input: command.input,
      requested_by: command.requested_by.name,
      verdict: effect,
      rule,
      ...more
    })
    if (effect === "deny") throw denied("denied_by_rule", `Rule ${rule ?? ""} of this device says no`)
  }

  /**
   * Requests approval through the hub: the decision arrives as a control, repeated at every connection until it is
   * applied.
   */
  const askHub = (job: Job): Ask => async (planned, stop) => {
    const { answer, fail, give } = pendingAnswer(stop)
    if (!isAcceptedPlan(planned.plan)) {
      throw denied("plan_not_shown", "The command is too long to be shown for approval, or contains NUL")
    }
    job.question = { plan: planned.plan, digest: planned.digest, give, fail }
    report(job)
    return await answer.finally(() => {
      job.question = undefined
    })
  }

  /** Requests approval on the local screen: the hub learns that approval is required, but not the plan. */
  const askScreen = (job: Job, ask: Ask): Ask => async (question, stop) => {
    job.screenDigest = question.digest
    report(job)
    return await ask(question, stop).finally(() => {
      job.screenDigest = undefined
    })
  }

  /** The digest of the approved plan; none when the rules allow the command. */
  const consentTo = async (job: Job): Promise<string | undefined> => {
    const { command } = job
    const now = rulesNow()
    const { close, planned, verdict } = evaluate(job, now)
    close()
    const isLoop = verdict.effect === "allow" && verdict.rule !== undefined &&
      now.rules[verdict.rule]?.repeats !== true &&
      repeats.tooMany(command, performance.now())
    judged(job, isLoop ? { ...verdict, effect: "ask" } : verdict, {
      plan_digest: planned.digest,
      ...(isLoop ? { repeated: true } : {})
    })
    if (verdict.effect === "allow" && !isLoop) return undefined
    const via = settledRules(now).ask_via
    await askPerson(
      // The person of a chat is at this computer.
      job.origin === "chat" && via === "hub" ? "screen" : via,
      { hub: askHub(job), ...(screen === undefined ? {} : { screen: askScreen(job, screen) }) },
      { ...planned, command },
      job.stop.signal
    )
    log.write("command_consented", { command_id: job.id, plan_digest: planned.digest })
    repeats.forgive(command)
    return planned.digest
  }

  /** Runs the command once the rules or a person allow it and it is in the journal. */
  const work = async (job: Job): Promise<Finished> => {
    const { command } = job
    const problems = inputProblems(command.tool, command.input)
    if (problems.length > 0) throw denied("invalid_input", problems[0]!.message)
    const consent = await consentTo(job)
    const place = hasPlace(command) ? placeOf(command) : undefined
    const release = await turns.take(place ?? command.id, rulesNow().concurrency ?? runningMax, job.stop.signal)
    let close: (() => void) | undefined
    let timer: NodeJS.Timeout | undefined
    try {
      // Judged again: an approval and a turn may take long, and only the plan that was shown may run.
      const evaluated = evaluate(job, rulesNow())
      close = evaluated.close
      if (evaluated.verdict.effect === "deny") judged(job, evaluated.verdict)
      if (consent !== undefined && consent !== evaluated.planned.digest) {
        throw denied("plan_changed", "What would run is not what a person said yes to any more")
      }
      if (consent === undefined && evaluated.verdict.effect === "ask") {
        throw denied("rules_changed", "This device's rules want a person asked by now")
      }
      job.stop.signal.throwIfAborted()
      begin(job, evaluated.planned.plan.directory)
      timer = setTimeout(
        () => stopJob(job, "timed_out", `It ran longer than ${command.timeout_seconds} s`),
        command.timeout_seconds * 1_000
      )
      return await evaluated.prepared.run({
        print: job.output.write,
        stop: job.stop.signal,
        kill: job.kill.signal,
        consented: consent !== undefined
      })
    } finally {
      clearTimeout(timer)
      close?.()
      release()
    }
  }

  const begin = (job: Job, directory: string | undefined): void => {
    const { input, requested_by, tool } = job.command
    try {
      journal.begin(job.id, tool, job.lease)
    } catch (error) {
      log.write("journal_failed", { command_id: job.id, problem: (error as Error).message })
      throw new Refusal("failed", "journal_failed", "The device could not write down that it begins, so it did not")
    }
    transcripts.begin(job.id, {
      tool,
      what: JSON.stringify(input),
      requested_by: requested_by.name,
      ...(directory === undefined ? {} : { directory })
    })
    job.stage = "running"
    report(job)
  }

  /** Turns are taken by real path. */
  const placeOf = (command: OfferedCommand): string => {
    const directory = places.directory(command.working_directory)
    directory.close()
    return directory.path
  }

  return work
}
